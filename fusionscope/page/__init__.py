"""The local web page: what the reports know, as HTML."""
