-- Question: from which words can people choose the keywords of each kind of question?
-- How to read: the 200 most frequent words of each kind, of the questions that people classified, as
-- Zhang et al. (ISSRE 2019) offered them to two people. Write the answer to a file (--format csv),
-- delete the rows of words that do not mark the kind, and name the file as keywords in [[forums]] of
-- the study: these are then the keywords. is_keyword says which count now, keyword_set whose.
-- Group: forums
-- Words: word, stack overflow

select
    forum,
    kind,
    written_form as keyword,
    word_rank,
    questions,
    occurrences,
    round(weight, 6) as weight,
    len(keywords) > 0 as is_keyword,
    keyword_set,
    alpha
from labels.question_word_weights
order by forum, kind, word_rank nulls last, keyword;
