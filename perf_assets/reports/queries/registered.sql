select repository, study from meta.repositories order by repository
