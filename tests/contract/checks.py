"""What scikit-learn asks of every estimator, with no expected failure."""

from unittest import SkipTest

from sklearn.utils.estimator_checks import estimator_checks_generator


def assert_every_check_passes(estimator):
    """Run all of scikit-learn's checks on an estimator; the error names the one that fails."""
    for instance, check in estimator_checks_generator(estimator):
        try:
            check(instance)
        except SkipTest:
            continue
        except Exception as error:
            raise AssertionError(f"{getattr(check, 'func', check).__name__}: {error}") from error
