"""For each check an estimator that it must catch: a good toy with one thing spoilt."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
from contract_spoilers import (
    ADDITIVE,
    CLASSIFIER,
    KMEANS,
    PROJECTION,
    ForgetsInPickle,
    KeepsWhatOnlyPickleStores,
    WithoutPredict,
    WithScratch,
    absent_are_none,
    afterwards,
    arrays,
    asked,
    blind_in,
    by_first_view,
    centred_on_first,
    crash_on_one,
    divide_by_spread,
    divided_quietly,
    drawn,
    drop_before_fit,
    each,
    fails_when,
    fit_shorter_of_both,
    fitted_shift,
    giving,
    grow,
    holes_filled,
    is_dict_where,
    is_frame,
    is_multimodal,
    is_sparse_dict,
    keep_names,
    last_is,
    lax_labels,
    mask_forgotten,
    matched_by_place,
    minus_one_is_a_class,
    mutant,
    nonsense_is_the_default,
    only_int_seeds,
    only_when,
    plus_first_feature,
    plus_last_digit,
    plus_one,
    plus_rows,
    printed,
    reads_views,
    remember,
    resized,
    reverse,
    saying,
    set_hidden,
    spoil_history,
    strangers_dropped,
    touch,
    two_of,
    warned,
    with_views,
    without_ids,
    write_into,
    zero_if_any_gap,
)
from scipy.sparse import issparse
from sklearn.preprocessing import MaxAbsScaler

from manyviews.compose import PerView
from manyviews.data import Views
from manyviews.maths import memory_limit

CONVENTIONS = {
    "fit_returns_self": mutant(KMEANS, fit=lambda self, old, X, *y: old(X) and None),
    "constructor_only_stores": WithScratch(),
    "fit_leaves_parameters_alone": mutant(PROJECTION, fit=afterwards(grow)),
    "input_is_left_alone": mutant(PROJECTION, fit=giving(write_into)),
    "read_only_memory_will_do": mutant(PROJECTION, fit=giving(touch)),
    "clone_is_unfitted_and_equal": mutant(
        PROJECTION, __sklearn_clone__=lambda self, old: copy.copy(self)
    ),
    "pickle_keeps_the_answers": ForgetsInPickle(),
    "files_without_code_keep_the_answers": KeepsWhatOnlyPickleStores(),
    "shows_itself": mutant(PROJECTION, __repr__=lambda self, old, *rest: "something"),
    "unfitted_says_so": mutant(
        KMEANS, predict=lambda self, old, X: old(X) if hasattr(self, "labels_") else None
    ),
    "has_an_answer_for_new_objects": WithoutPredict(),
    "fitted_attributes_end_in_underscore": mutant(PROJECTION, fit=afterwards(set_hidden)),
    "remembers_the_views": mutant(PROJECTION, fit=afterwards(reverse("view_names_"))),
    "remembers_feature_names": mutant(PROJECTION, fit=afterwards(reverse("feature_names_in_"))),
    "fit_again_is_fit_once": mutant(PROJECTION, fit=remember),
    "fit_on_other_views_starts_afresh": mutant(PROJECTION, fit=keep_names),
    "same_seed_same_answer": mutant(
        PROJECTION, fit=fitted_shift, transform=lambda self, old, X: old(X) + self._shift
    ),
    "asking_changes_nothing": mutant(PROJECTION, transform=asked),
    "global_randomness_is_untouched": mutant(PROJECTION, fit=drawn),
    "random_state_takes_generators": mutant(KMEANS, fit=only_int_seeds),
}

FORMS = {
    "fit_takes_every_form": mutant(
        PROJECTION, fit=giving(lambda X: X[::-1] if isinstance(X, tuple) else X)
    ),
    "answers_take_every_form": mutant(
        PROJECTION, transform=only_when(lambda X: isinstance(X, list), plus_one)
    ),
    "frames_are_views": mutant(PROJECTION, transform=only_when(is_frame, plus_one)),
    "modalities_are_views": mutant(PROJECTION, transform=only_when(is_multimodal, plus_one)),
    "wide_matrix_is_cut": mutant(
        PROJECTION, transform=only_when(lambda X: isinstance(X, np.ndarray), plus_one)
    ),
    "new_views_are_matched_by_name": mutant(PROJECTION, transform=matched_by_place),
    "order_of_views_in_fit_is_free": mutant(
        PROJECTION, transform=by_first_view(lambda names: names[0])
    ),
    "names_of_views_are_free": mutant(PROJECTION, transform=by_first_view(min)),
    "order_of_objects_in_fit_is_free": mutant(PROJECTION, fit=centred_on_first),
    "all_observed_is_no_mask": mutant(PROJECTION, transform=only_when(reads_views, plus_one)),
    "sparse_is_dense": mutant(KMEANS, predict=only_when(is_sparse_dict, plus_one)),
    "sparse_is_refused": blind_in(
        PROJECTION, each(lambda v: v.toarray() if issparse(v) else v), "transform"
    ),
    "single_precision_will_do": mutant(
        PROJECTION, fit=fails_when(is_dict_where(lambda v: v.dtype == np.float32))
    ),
    "integers_are_numbers": mutant(
        PROJECTION, transform=only_when(is_dict_where(lambda v: v.dtype.kind == "i"), plus_one)
    ),
    "order_of_new_objects_is_free": mutant(PROJECTION, transform=saying(plus_rows)),
    "alone_is_as_in_company": mutant(
        PROJECTION, transform=saying(lambda answer: answer - answer.mean(axis=0))
    ),
}

ROUNDING = {
    "order_of_features_is_free": mutant(PROJECTION, transform=plus_first_feature),
    "last_digits_decide_nothing": mutant(PROJECTION, transform=plus_last_digit),
}

VIEWS = {
    "number_of_views_is_as_tagged": blind_in(
        KMEANS, lambda X: dict(list(X.items())[:3]) if isinstance(X, dict) else X, "predict"
    ),
    "every_view_counts": blind_in(KMEANS, last_is(1.0), "predict"),
    "every_new_view_counts": mutant(CLASSIFIER, predict_proba=giving(last_is(1.0))),
    "missing_view_is_named": mutant(KMEANS, predict=absent_are_none),
    "unknown_view_is_named": mutant(KMEANS, predict=strangers_dropped),
    "wrong_width_is_named": mutant(KMEANS, predict=resized),
    "features_in_another_order_are_refused": mutant(
        KMEANS, predict=giving(lambda X: X.to_numpy() if is_frame(X) else X)
    ),
    "unobserved_views_are_refused": blind_in(PROJECTION, with_views(holes_filled), "transform"),
    "unobserved_views_are_taken": mutant(
        KMEANS, fit=giving(with_views(lambda views: views.drop_unobserved()))
    ),
    "gaps_are_gaps_however_said": mutant(CLASSIFIER, fit=giving(arrays(np.nan_to_num))),
    "sparse_gaps_are_gaps": mutant(CLASSIFIER, predict_proba=giving(mask_forgotten)),
    "new_objects_may_lack_a_view": mutant(
        KMEANS, predict=fails_when(is_dict_where(lambda view: view is None))
    ),
    "one_view_is_enough_to_predict": mutant(KMEANS, predict=zero_if_any_gap),
    "object_without_any_view_is_refused": mutant(
        KMEANS, fit=giving(with_views(lambda views: views[views.observed.any(axis=1)]))
    ),
    "view_that_nobody_shows": mutant(
        KMEANS, fit=fails_when(lambda X: not Views(X).observed.any(axis=0).all())
    ),
}

BAD_INPUT = {
    "nan_in_a_cell_is_as_tagged": blind_in(KMEANS, arrays(np.nan_to_num), "predict"),
    "infinity_is_refused": mutant(
        PROJECTION, transform=giving(arrays(lambda v: np.nan_to_num(v, posinf=0.0)))
    ),
    "complex_numbers_are_refused": blind_in(PROJECTION, arrays(np.real), "transform"),
    "text_is_refused": blind_in(
        PROJECTION, arrays(lambda v: np.zeros(v.shape) if v.dtype == object else v), "transform"
    ),
    "views_have_two_dimensions": mutant(
        PROJECTION, fit=giving(arrays(lambda v: v if v.ndim == 2 else np.ones((len(v), 4))))
    ),
    "no_objects_are_refused": mutant(
        KMEANS, predict=lambda self, old, X: old(X) if len(Views(X)) else np.empty(0, dtype=int)
    ),
    "no_views_are_refused": mutant(
        PROJECTION, fit=giving(lambda X: X if len(X) else {"none": np.ones((9, 2))})
    ),
    "no_features_are_refused": mutant(
        PROJECTION, fit=giving(arrays(lambda v: v if v.size else np.ones((len(v), 4))))
    ),
    "different_numbers_of_rows_are_refused": mutant(
        PROJECTION, fit=giving(arrays(lambda v: np.resize(v, (45, v.shape[1]))))
    ),
    "one_object": mutant(KMEANS, fit=fails_when(crash_on_one)),
    "constant_views": mutant(PROJECTION, fit=divide_by_spread, transform=divided_quietly),
    "duplicated_objects": mutant(PROJECTION, transform=saying(plus_rows)),
    "labels_of_another_length_are_refused": mutant(CLASSIFIER, fit=fit_shorter_of_both),
    "failed_fit_leaves_the_old": mutant(PROJECTION, fit=drop_before_fit),
}

LABELS = {
    "classes_are_sorted": mutant(CLASSIFIER, fit=afterwards(reverse("classes_"))),
    "labels_are_only_names": lax_labels(lambda y: np.char.upper(y) if y.dtype.kind == "U" else y),
    "unlabelled_objects_are_no_class": lax_labels(minus_one_is_a_class),
    "separable_classes_are_learnt": mutant(
        CLASSIFIER, predict=lambda self, old, X: np.full(len(old(X)), self.classes_[0])
    ),
    "one_class_is_refused": lax_labels(two_of),
    "no_label_is_refused": lax_labels(lambda y: np.arange(len(y)) % 2 if y.max() < 0 else y),
    "probabilities_sum_to_one": mutant(CLASSIFIER, predict_proba=saying(lambda p: 2 * p)),
    "decisions_agree_with_predict": mutant(
        CLASSIFIER, decision_function=saying(lambda scores: -scores)
    ),
    "clusters_are_numbered": mutant(KMEANS, predict=saying(lambda labels: labels + 0.5)),
    "plain_clusters_are_found": mutant(KMEANS, predict=saying(lambda labels: 0 * labels)),
}

OUTPUT = {
    "transform_gives_a_row_per_object": mutant(PROJECTION, transform=saying(lambda Z: Z[:-1])),
    "fit_transform_is_fit_then_transform": mutant(
        PROJECTION, fit_transform=lambda self, old, X, *y, **options: old(X) + 1
    ),
    "columns_have_names": mutant(
        PROJECTION, get_feature_names_out=lambda self, old, *features: old()[:1]
    ),
    "set_output_gives_a_frame": mutant(PROJECTION, set_output=lambda self, old, **options: self),
    "views_in_views_out_keep_the_objects": mutant(
        PerView(MaxAbsScaler()), transform=saying(without_ids)
    ),
}

PARAMETERS = {
    "nonsense_in_a_parameter_is_refused": mutant(PROJECTION, fit=nonsense_is_the_default),
}

PROGRESS = {
    "no_warning_on_good_data": mutant(PROJECTION, fit=warned),
    "history_is_finite": mutant(KMEANS, fit=afterwards(spoil_history)),
    "unfinished_work_is_warned_of": mutant(KMEANS, _warn_not_converged=lambda *unused: None),
    "silent_unless_asked": mutant(PROJECTION, fit=printed),
    "statistics_add_up": mutant(
        ADDITIVE, summarize=saying(lambda stats: replace(stats, first=stats.first / stats.count))
    ),
    "update_learns_from_sums": mutant(ADDITIVE, update=saying(copy.copy)),
}

ROWS = {
    "tables_with_other_rows_are_refused": blind_in(
        PROJECTION, each(lambda v: v.to_numpy() if is_frame(v) else v), "transform"
    ),
    "labels_are_matched_by_id": lax_labels(np.asarray),
    "score_matches_labels_by_id": mutant(
        CLASSIFIER, score=lambda self, old, X, y, **weights: old(X, np.asarray(y), **weights)
    ),
    "fit_transform_refuses_labels_in_another_order": mutant(
        PROJECTION, fit_transform=lambda self, old, X, *y, **options: old(X)
    ),
    "clusterers_take_no_labels_by_position": mutant(
        KMEANS, fit=lambda self, old, X, y=None: old(X, None if y is None else np.asarray(y))
    ),
    "tables_put_out_have_the_ids": mutant(
        PROJECTION, transform=saying(lambda Z: Z.reset_index() if is_frame(Z) else Z)
    ),
    "masked_cells_are_missing": mutant(KMEANS, fit=giving(arrays(np.asarray))),
}

MEMORY = {
    "little_memory_changes_no_answer": mutant(
        PROJECTION, transform=saying(lambda answer: answer + (memory_limit() < 2**20))
    ),
}

TOOLS = dict.fromkeys(
    (
        "cross_validation_takes_views",
        "cross_validated_predictions",
        "grid_search_takes_views",
        "pipeline_takes_views",
        "train_test_split_takes_views",
    ),
    mutant(KMEANS, fit=fails_when(reads_views)),
)

MUTANTS = {
    **CONVENTIONS,
    **FORMS,
    **ROUNDING,
    **VIEWS,
    **BAD_INPUT,
    **LABELS,
    **OUTPUT,
    **PARAMETERS,
    **PROGRESS,
    **ROWS,
    **MEMORY,
    **TOOLS,
}
