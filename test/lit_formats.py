"""A format of its own: lit.cfg.py puts this folder on the path, lit's workers inherit the module."""

import lit.formats


class Groups(lit.formats.ShTest):
    """A folder's tests are its `.test` files, each of which runs many programs; a program that is named is a test too."""

    def getTestsInDirectory(self, testSuite, path_in_suite, litConfig, localConfig):
        found = super().getTestsInDirectory(testSuite, path_in_suite, litConfig, localConfig)
        return (test for test in found if test.path_in_suite[-1].endswith(".test"))
