import unittest

from pages import links


class Links(unittest.TestCase):
    def test_in_the_middle_the_page_has_two_on_each_side(self) -> None:
        self.assertEqual(links(page=10, pages=20), [8, 9, 10, 11, 12])

    def test_at_the_beginning_the_window_begins_at_one(self) -> None:
        self.assertEqual(links(page=1, pages=20), [1, 2, 3, 4, 5])

    def test_at_the_end_the_last_page_is_in_it(self) -> None:
        self.assertEqual(links(page=20, pages=20), [16, 17, 18, 19, 20])
