"""What a reader of one name may want instead or besides: its neighbours, and the page that tells about all of them."""

from __future__ import annotations

from typing import Any

#: Names that are weighed against each other, or used together; each leads to the others. All are below `tamis`.
GROUPS = (
    "BoostingClassifier BoostingRegressor AdditiveClassifier AdditiveRegressor ForestClassifier ForestRegressor",
    "Study load compare study.read_columns nested_score",
    "Study Lock evaluate.ReusableHoldout",
    "nested_score evaluate.SeveralScores evaluate.NestedScore",
    "evaluate.calibration evaluate.number_calibration evaluate.net_benefit evaluate.sample_size",
    "evaluate.Calibration evaluate.DecisionCurve evaluate.SampleSize evaluate.calibration",
    "nested_score audit evaluate.permutation_test evaluate.leaks evaluate.complexity_curve evaluate.grow",
    "nested_score evaluate.NestedScore evaluate.NestedComparison evaluate.Interval",
    "nested_score evaluate.InnerFolds split.folds split.BootstrapSplit",
    "audit evaluate.Audit evaluate.audit_table evaluate.leaks evaluate.Leak",
    "evaluate.permutation_test evaluate.PermutationTest",
    "evaluate.complexity_curve evaluate.grow evaluate.Curve evaluate.Grown",
    "evaluate.bias_variance evaluate.bias_variance_figure evaluate.BiasVariance evaluate.complexity_curve"
    " evaluate.degrees_of_freedom",
    "evaluate.Metric evaluate.METRICS evaluate.LossMatrix metrics.score",
    "metrics.score metrics.confusion metrics.roc metrics.precision_recall",
    "evaluate.Problem evaluate.InnerFolds",
    "read Table table.LazyTable table.Column table.Decision",
    "RankSelector SubsetSelector StabilitySelector ShadowSelector KnockoffSelector MirrorSelector",
    "RankSelector score.rank score.Ranking score.combine score.benjamini_hochberg",
    "score.combine score.rank_score score.rank_score_graph score.diversity",
    "score.pearson score.anova score.stump score.dispersion score.variance",
    "score.mutual_information score.gain_ratio score.gini score.chi2 score.symmetric_uncertainty",
    "score.relief score.interaction score.top_pairs score.top_triples score.Triple",
    "score.cfs score.consistency score.bhattacharyya score.jeffries_matusita SubsetSelector",
    "SubsetSelector search.Forward search.Backward search.Floating search.Exhaustive search.BranchAndBound"
    " search.BestFirst search.Random search.Annealing search.Genetic search.HillClimbing search.Elimination",
    "SubsetSelector search.History search.Trial",
    "StabilitySelector search.agreement search.compare search.SelectorComparison",
    "LinearRegressor LinearClassifier SubsetSelector",
    "LinearClassifier linear.ScoreCard linear.ScoreCardRegressor TreeClassifier",
    "LinearRegressor TreeRegressor ForestRegressor",
    "LinearClassifier TreeClassifier ForestClassifier",
    "AdditiveRegressor AdditiveClassifier additive.Curve additive.PairMap",
    "AdditiveRegressor LinearRegressor TreeRegressor",
    "AdditiveClassifier LinearClassifier TreeClassifier",
    "TreeClassifier TreeRegressor tree.Tree tree.mimic tree.from_pipeline",
    "ForestClassifier ForestRegressor MirrorSelector ShadowSelector tree.mimic",
    "PCA project.SVD project.KernelPCA project.MDS project.FactorAnalysis project.ProjectionPursuit",
    "project.map project.TableMap project.scores_figure report.heatmap",
    "PCA project.spectrum_figure project.loadings_figure project.scores_figure",
    "project.SVD project.solve",
    "transform.Center transform.Standardize transform.UnitRange transform.Rank",
    "transform.Clip transform.Trim transform.Log transform.Symmetrize transform.Sigmoid",
    "transform.Normalize transform.Shares transform.ScatterCorrection",
    "transform.Discretize transform.Encode transform.Impute transform.Text",
    "transform.Monomials transform.Ratios transform.KernelFeatures",
    "transform.Smooth transform.Derivative transform.Sharpen transform.Baseline transform.ScatterCorrection",
    "transform.Fourier transform.Wavelet transform.Denoise transform.Convolve",
    "transform.Transforms Study",
    "report.boundary report.charts.classes",
    "report.facts report.page report.say_answer report.say_columns report.progress_bar",
    "report.charts.roc report.charts.precision_recall report.charts.reliability report.charts.classes",
    "report.charts.reliability report.charts.decision_curve",
    "report.charts.predicted report.charts.residuals",
    "report.charts.procedures report.charts.folds report.charts.frontier report.charts.stability report.charts.path",
    "views.Moments views.FoldMoments views.Bins views.Indicators views.Neighbours",
    "engine.run engine.reduce engine.use engine.current engine.workers engine.Task",
)
#: The page that tells about a module.
GUIDES = {
    "transform": "/reference/transform",
    "project": "/reference/project",
    "score": "/reference/scores",
    "search": "/reference/search",
    "linear": "/reference/linear",
    "tree": "/reference/trees",
    "forest": "/reference/forests",
    "additive": "/reference/additive",
    "evaluate": "/reference/evaluation",
    "split": "/reference/evaluation",
    "lock": "/concepts/lock",
    "metrics": "/reference/evaluation",
    "study": "/reference/study",
    "report": "/reference/report",
    "table": "/reference/tables",
    "engine": "/how-to/scale",
}
#: Transforms of ordered columns have a page of their own.
SIGNALS = {
    "Smooth",
    "Derivative",
    "Sharpen",
    "Baseline",
    "ScatterCorrection",
    "Fourier",
    "Wavelet",
    "Denoise",
    "Convolve",
}


def neighbours(name: str) -> list[str]:
    """Full names beside a full name, in the order of the groups, each once."""
    own = name.removeprefix("tamis.")
    found = [other for group in GROUPS if own in group.split() for other in group.split() if other != own]
    return [f"tamis.{other}" for other in dict.fromkeys(found)]


def guide(name: str, value: Any) -> str | None:
    """The page about the module in which a name is at home."""
    if name.rpartition(".")[2] in SIGNALS:
        return "/reference/signals"
    home = getattr(value, "__module__", name).split(".")
    return GUIDES.get(home[1]) if len(home) > 1 else None


def _append(app: Any, what: str, name: str, value: Any, options: Any, lines: list[str]) -> None:
    if what not in ("class", "function") or not name.startswith("tamis."):
        return
    links = [f":obj:`{other.removeprefix('tamis.')} <{other}>`" for other in neighbours(name)]
    if page := guide(name, value):
        links.append(f":doc:`{page}`")
    if links:
        lines += ["", ".. seealso::", "", f"   {', '.join(links)}", ""]


def setup(app: Any) -> dict[str, Any]:
    app.connect(
        "autodoc-process-docstring", _append, priority=600
    )  # after numpydoc, which would read a section into it
    return {"version": "1", "parallel_read_safe": True, "parallel_write_safe": True}
