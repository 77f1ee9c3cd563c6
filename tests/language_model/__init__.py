"""Models as proposers: what may go wrong with one, and that nothing is lost or invented when it does."""
