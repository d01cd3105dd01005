select forum, asked, raters, method, n as judged, observed, kappa, low, high, reading
from analysis.question_agreement
order by forum, asked, method, raters
