"""Records of folds: what a journal holds of them."""

from tamis.results.fold import FoldRecord, RaceEnd, SizedRecord, UnitLosses, fold_record


def test_a_journal_gives_the_record_that_was_kept():
    """A study that was stopped would go on with other losses."""
    losses = UnitLosses([1.0, 3.0], [2, 2], ranking=[0.1, 0.2])
    record = FoldRecord(0.5, {"auc": None}, losses, columns=["a"], inner_losses=losses, race=RaceEnd("out", "b", 1, 3))
    sized = SizedRecord([record])
    assert fold_record(record.to_dict()) == record
    assert fold_record(sized.to_dict()) == sized
    assert fold_record(record) is record
    assert record.is_out
    assert record.n_columns == 1
    assert "quoted" not in record.to_dict()["losses"]
    assert record.losses.mean() == 1.0
