select repository, printf(
    'by the rule %.1f %% of %d bug reports are about performance, by the classifier %.1f %% (both '
    || 'find %d); the mean of its probabilities is %.1f %%, %s',
    percent_labelled, bug_reports, percent_classified, by_both, percent_expected,
    case
        when percent_corrected is null
            then 'as calibrated on other projects: nobody judged both labelled and other bug '
            || 'reports here'
        else printf('and corrected by %d verdicts %.1f %%', judged, percent_corrected)
    end
)
from figure_rows
