-- Answers that their question's asker endorses in a comment: says that it worked or helped, or thanks
-- for it in few words, and does not ask, object or announce to try in the same comment. Zhang et al.
-- (ISSRE 2019, section II-C) take such an answer where none is accepted. The asker must be an account
-- that is still there: of one that is gone there is no number to recognise it by, and the names shown
-- are not unique. An answer of the asker is not endorsed by thanks, one that was deleted not at all.
-- Who says to have solved it, or reports a further error, endorses nothing either: rather too few
-- answers than wrong ones.

with

questions as (
    select * from staging.questions
),

stored_questions as (
    select * from raw.questions
),

answers as (
    select * from raw.answers
),

comments as (
    select * from raw.question_comments
),

of_askers as (
    select
        forum,
        question_id,
        answers.answer_id,
        comments.comment_id,
        answers.created_at as answered_at,
        comments.created_at as endorsed_at,
        comments.body,
        -- Letters in front and behind, so that a word is found at both ends too.
        ' ' || lower(comments.body) || ' ' as spoken
    from comments
    inner join questions using (forum, question_id)
    inner join stored_questions using (forum, question_id)
    inner join answers using (forum, question_id)
    where
        comments.post_id = answers.answer_id
        and comments.owner = stored_questions.owner
        and regexp_matches(comments.owner, '^[0-9]+$')
        and coalesce(answers.owner, '') <> comments.owner
),

read as (
    select
        *,
        coalesce(
            nullif(regexp_extract(spoken, '^ (works|worked)[^a-z]', 1), ''),
            regexp_extract(
                spoken,
                '[^a-z]('
                || 'solved|fixed|resolved|did the trick|that did it|exactly what|perfect|perfectly'
                || '|great answer|helped|helps|helpful|awesome|brilliant'
                || '|(it|that|this|everything|finally|solution|code|answer|suggestion)'
                || ' (now |really |just |also |indeed )?(works|worked)'
                || '|(works|worked) (now|perfectly|great|fine|well|like a charm|for me)'
                || ')[^a-z]',
                1
            )
        ) as success,
        regexp_extract(
            spoken,
            '[^a-z](thanks|thank you|thank u|thx|thnx|tnx|cheers|much appreciated)[^a-z]',
            1
        ) as gratitude,
        regexp_extract(
            spoken,
            '([?]|[^a-z]('
            || 'but|however|unfortunately|although|though|nevertheless|nonetheless|still|yet|not'
            || '|cannot|cant|never|no luck|nothing|fail|fails|failed|try|tried|trying|wonder'
            || '|wondering|sorry|if|unless|instead|in advance|unclear|confused|expected|hope to'
            || '|hoping|disagree|would rather|rephrase|my question|deleted|edited|i will'
            || '|i(''|’|&#39;)ll|for (looking|the (feedback|upvote|comment))'
            || '|(do|does|did|is|was|are|were|wo|ca|could|would|should|has|have|had)'
            || 'n(''|’|&#39;)?t'
            || '|(i|we)((''|’|&#39;)ve)? (have |had |also |now |finally |just |actually )*'
            || '(solved|fixed|resolved)'
            || '|(solved|fixed|resolved) in|myself|ourselves|another|(other|different) way'
            || '|error|errors|exception|crash|crashes|crashed|crashing|hang|hangs|hanging|freezes'
            || '|same|nope|already|only|upstream|(work|works|worked) ?arounds?'
            || ')[^a-z]|[.,!:)] ?will [a-z]|^ will [a-z])',
            1
        ) as reservation
    from of_askers
),

endorsements as (
    select
        forum,
        question_id,
        answer_id,
        comment_id,
        answered_at,
        endorsed_at,
        case when success <> '' then 'success' else 'gratitude' end as endorsement,
        case when success <> '' then success else gratitude end as matched_words
    from read
    where
        reservation = ''
        and (
            (success <> '' and left(body, 300) = body)
            or (gratitude <> '' and left(body, 100) = body)
        )
)

select * from endorsements
