import unittest

from pages import page_count, page_of, slice_of


class Numbers(unittest.TestCase):
    def test_a_full_last_page_makes_no_empty_one(self) -> None:
        self.assertEqual(page_count(items=20, size=10), 2)
        self.assertEqual(page_count(items=21, size=10), 3)

    def test_an_empty_list_has_one_page(self) -> None:
        self.assertEqual(page_count(items=0, size=10), 1)

    def test_an_item_is_in_the_slice_of_its_page(self) -> None:
        items = list(range(25))
        self.assertEqual(page_of(19, size=10), 2)
        self.assertIn(19, items[slice_of(2, size=10)])
