select coalesce(sum(requests), 0) as requests, coalesce(sum(points), 0) as points
from meta.source_requests
where started_at >= ?
