"""The part of GitHub's published schema that is served."""

SCHEMA = """
scalar DateTime
scalar HTML
scalar URI

enum OrderDirection { ASC DESC }
enum DiscussionOrderField { CREATED_AT UPDATED_AT }
enum DiscussionStateReason { DUPLICATE OUTDATED REOPENED RESOLVED }

input DiscussionOrder {
  direction: OrderDirection!
  field: DiscussionOrderField!
}

interface Actor { login: String! }
interface Node { id: ID! }

type User implements Actor & Node { id: ID! login: String! databaseId: Int }
type Mannequin implements Actor & Node { id: ID! login: String! databaseId: Int }

type PageInfo { hasNextPage: Boolean! endCursor: String }
type RateLimit { cost: Int! remaining: Int! resetAt: DateTime! }

type Label { name: String! }
type LabelConnection { nodes: [Label] pageInfo: PageInfo! totalCount: Int! }

type DiscussionCategory implements Node { id: ID! slug: String! isAnswerable: Boolean! }
type DiscussionCategoryConnection { nodes: [DiscussionCategory] pageInfo: PageInfo! }

type DiscussionComment implements Node {
  id: ID!
  databaseId: Int
  author: Actor
  createdAt: DateTime!
  deletedAt: DateTime
  upvoteCount: Int!
  body: String!
  bodyHTML: HTML!
  isAnswer: Boolean!
  replies(first: Int, after: String): DiscussionCommentConnection!
}
type DiscussionCommentConnection {
  nodes: [DiscussionComment]
  pageInfo: PageInfo!
  totalCount: Int!
}

type Discussion implements Node {
  id: ID!
  number: Int!
  title: String!
  bodyHTML: HTML!
  author: Actor
  createdAt: DateTime!
  updatedAt: DateTime!
  upvoteCount: Int!
  closedAt: DateTime
  stateReason: DiscussionStateReason
  category: DiscussionCategory!
  answer: DiscussionComment
  labels(first: Int, after: String): LabelConnection
  comments(first: Int, after: String): DiscussionCommentConnection!
}
type DiscussionConnection { nodes: [Discussion] pageInfo: PageInfo! totalCount: Int! }

type Repository implements Node {
  id: ID!
  label(name: String!): Label
  discussionCategories(first: Int, after: String): DiscussionCategoryConnection!
  discussions(
    first: Int, after: String, categoryId: ID, orderBy: DiscussionOrder
  ): DiscussionConnection!
}

type Query {
  rateLimit: RateLimit
  repository(owner: String!, name: String!): Repository
  node(id: ID!): Node
}
"""
