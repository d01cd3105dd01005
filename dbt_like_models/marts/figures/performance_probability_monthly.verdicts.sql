select repository, printf(
    'words and labels mark %.1f %% of %d bug reports, the classifier marks %.1f %% (both mark %d); '
    || 'the mean of its probabilities is %.1f %%%s',
    percent_labelled, bug_reports, percent_classified, by_both, percent_expected,
    case
        when percent_corrected is null
            then ', calibrated on other projects, because people did not judge both marked and '
            || 'other bug reports here'
        else printf(', and corrected by %d verdicts it is %.1f %%', judged, percent_corrected)
    end
)
from figure_rows
