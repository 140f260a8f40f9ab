// The schema of the administration, fixed: clients of the API that Quern follows know it by heart.

import { buildSchema, type GraphQLSchema } from "graphql";

let built: GraphQLSchema | undefined;

/** Built when an administrator first asks: it took 20 ms of each start. */
export function adminSchema(): GraphQLSchema {
  built ??= buildSchema(text);
  return built;
}

const text = /* GraphQL */ `
  """
  A whole number of 64 bits without a sign, written as a JSON number.
  """
  scalar UInt64
  scalar DateTime

  type Query {
    "The deployed schema; null before the first deploy."
    getGQLSchema: GQLSchema
    "The deploys that the store remembers, the newest first; with \`ids\` those of them."
    deployedSchemas(ids: [ID!], first: Int): [DeployedSchema!]
    health: [NodeState]
    state: MembershipState
    config: Config
    task(input: TaskInput!): TaskPayload
    listBackups(input: ListBackupsInput!): [Manifest]
    restoreStatus(restoreId: Int!): RestoreStatus
    getUser(name: String!): User
    getGroup(name: String!): Group
    getCurrentUser: User
    queryUser(filter: UserFilter, order: UserOrder, first: Int, offset: Int): [User]
    queryGroup(filter: GroupFilter, order: GroupOrder, first: Int, offset: Int): [Group]
  }

  type Mutation {
    "Deploys a schema over all the data there are; a refused one changes nothing."
    updateGQLSchema(input: UpdateGQLSchemaInput!): UpdateGQLSchemaPayload
    "While the mode is on, /graphql answers no request."
    draining(enable: Boolean): DrainingPayload
    "Lets running requests finish, then stops the server."
    shutdown: ShutdownPayload
    config(input: ConfigInput!): ConfigPayload
    export(input: ExportInput!): ExportPayload
    backup(input: BackupInput!): BackupPayload
    "Checks indexes, links, keys and counters of the store while it serves. It repairs nothing; the task has the result."
    checkStore: CheckStorePayload
    "Replaces the data by those of a backup, which is verified first. Writes are refused meanwhile."
    restore(input: RestoreInput!): RestorePayload
    restoreTenant(input: RestoreTenantInput!): RestorePayload
    removeNode(input: RemoveNodeInput!): RemoveNodePayload
    moveTablet(input: MoveTabletInput!): MoveTabletPayload
    assign(input: AssignInput!): AssignPayload
    login(userId: String, password: String, namespace: Int, refreshToken: String): LoginPayload
    addUser(input: [AddUserInput!]!): AddUserPayload
    updateUser(input: UpdateUserInput!): AddUserPayload
    deleteUser(filter: UserFilter!): DeleteUserPayload
    addGroup(input: [AddGroupInput!]!): AddGroupPayload
    updateGroup(input: UpdateGroupInput!): AddGroupPayload
    deleteGroup(filter: GroupFilter!): DeleteGroupPayload
    addNamespace(input: AddNamespaceInput): NamespacePayload
    deleteNamespace(input: DeleteNamespaceInput!): NamespacePayload
    resetPassword(input: ResetPasswordInput!): ResetPasswordPayload
  }

  type Response {
    code: String
    message: String
  }

  type GQLSchema {
    id: ID!
    "The text as deployed."
    schema: String!
    "The whole API generated from it."
    generatedSchema: String!
  }
  type DeployedSchema {
    "A number that rises with each deploy."
    id: ID!
    "When it ended, by the clock of the server that deployed. Null: before the store remembered deploys."
    deployedAt: DateTime
    "The newest commit when it ended."
    commit: String!
    "The size of the text."
    bytes: Int!
    "The text as deployed; null where it is too long to be kept."
    schema: String
  }
  input UpdateGQLSchemaInput {
    set: GQLSchemaPatch!
  }
  input GQLSchemaPatch {
    schema: String!
  }
  type UpdateGQLSchemaPayload {
    gqlSchema: GQLSchema
  }

  type NodeState {
    instance: String
    address: String
    status: String
    group: String
    version: String
    "Seconds."
    uptime: Int
    "Seconds since 1970."
    lastEcho: Int
    ongoing: [String]
    indexing: [String]
    ee_features: [String]
  }

  type MembershipState {
    counter: UInt64
    groups: [ClusterGroup]
    zeros: [Member]
    maxUID: UInt64
    maxNsID: UInt64
    maxTxnTs: UInt64
    maxRaftId: UInt64
    removed: [Member]
    cid: String
    namespaces: [UInt64]
  }
  type ClusterGroup {
    id: UInt64
    members: [Member]
    tablets: [Tablet]
    snapshotTs: UInt64
    checksum: UInt64
  }
  type Member {
    id: UInt64
    groupId: UInt64
    addr: String
    leader: Boolean
    amDead: Boolean
    lastUpdate: UInt64
    clusterInfoOnly: Boolean
    forceGroupId: Boolean
  }
  type Tablet {
    groupId: UInt64
    predicate: String
    force: Boolean
    space: Int
    remove: Boolean
    readOnly: Boolean
    moveTs: UInt64
  }

  type Config {
    "Megabytes of decoded data that the store keeps in memory at most."
    cacheMb: Float
  }
  input ConfigInput {
    cacheMb: Float
    logDQLRequest: Boolean
  }
  type ConfigPayload {
    response: Response
  }

  type DrainingPayload {
    response: Response
  }
  type ShutdownPayload {
    response: Response
  }

  input TaskInput {
    id: String!
  }
  type TaskPayload {
    kind: TaskKind
    status: TaskStatus
    lastUpdated: DateTime
    "Where the result is, or why the task failed."
    message: String
    "0 to 100."
    percent: Int
  }
  enum TaskKind {
    Backup
    Check
    Export
    Restore
    Unknown
  }
  enum TaskStatus {
    Queued
    Running
    Failed
    Success
    Unknown
  }

  input ExportInput {
    "rdf (by default), json, or ndjson."
    format: String
    namespace: Int
    destination: String
    accessKey: String
    secretKey: String
    sessionToken: String
    anonymous: Boolean
    "Copies the files of @file too."
    files: Boolean
  }
  type ExportPayload {
    response: Response
    taskId: String
  }

  input BackupInput {
    destination: String!
    accessKey: String
    secretKey: String
    sessionToken: String
    anonymous: Boolean
    forceFull: Boolean
    "Copies the files of @file too, those that are not there yet."
    files: Boolean
  }
  type CheckStorePayload {
    response: Response
    taskId: String
  }
  type BackupPayload {
    response: Response
    taskId: String
  }
  input RestoreInput {
    location: String!
    backupId: String
    backupNum: Int
    incrementalFrom: Int
    isPartial: Boolean
    encryptionKeyFile: String
    vaultAddr: String
    vaultRoleIDFile: String
    vaultSecretIDFile: String
    vaultPath: String
    vaultField: String
    vaultFormat: String
    accessKey: String
    secretKey: String
    sessionToken: String
    anonymous: Boolean
    "Copies the files of @file back too."
    files: Boolean
  }
  input RestoreTenantInput {
    restoreInput: RestoreInput!
    fromNamespace: Int!
  }
  type RestorePayload {
    code: String
    message: String
    "For restoreStatus."
    restoreId: Int
    "For task."
    taskId: String
  }
  type RestoreStatus {
    "UNKNOWN, IN_PROGRESS, OK or ERR."
    status: String!
    "Why it failed."
    errors: [String]
  }
  input ListBackupsInput {
    location: String!
    sinceDate: DateTime
    untilDate: DateTime
    lastNDays: Int
    fullManifest: Boolean
    accessKey: String
    secretKey: String
    sessionToken: String
    anonymous: Boolean
  }
  type Manifest {
    backupId: String
    backupNum: UInt64
    encrypted: Boolean
    groups: [BackupGroup]
    path: String
    since: UInt64
    type: String
  }
  type BackupGroup {
    groupId: UInt64
    predicates: [String]
  }

  input RemoveNodeInput {
    nodeId: UInt64!
    groupId: UInt64!
  }
  type RemoveNodePayload {
    response: Response
  }
  input MoveTabletInput {
    namespace: UInt64
    tablet: String!
    groupId: UInt64!
  }
  type MoveTabletPayload {
    response: Response
  }
  enum AssignKind {
    UID
    TIMESTAMP
    NAMESPACE_ID
  }
  input AssignInput {
    what: AssignKind!
    num: UInt64!
  }
  type AssignPayload {
    response: AssignedIds
  }
  type AssignedIds {
    startId: UInt64
    endId: UInt64
    readOnly: UInt64
  }

  type LoginPayload {
    response: LoginResponse
  }
  type LoginResponse {
    accessJWT: String
    refreshJWT: String
  }
  type User {
    name: String!
    groups: [Group]
  }
  type Group {
    name: String!
    users: [User]
    rules: [Rule]
  }
  type Rule {
    predicate: String!
    permission: Int!
  }
  input StringHashFilter {
    eq: String
  }
  input UserFilter {
    name: StringHashFilter
    and: UserFilter
    or: UserFilter
    not: UserFilter
  }
  input GroupFilter {
    name: StringHashFilter
    and: UserFilter
    or: UserFilter
    not: UserFilter
  }
  enum UserOrderable {
    name
  }
  enum GroupOrderable {
    name
  }
  input UserOrder {
    asc: UserOrderable
    desc: UserOrderable
    then: UserOrder
  }
  input GroupOrder {
    asc: GroupOrderable
    desc: GroupOrderable
    then: GroupOrder
  }
  input UserRef {
    name: String!
  }
  input GroupRef {
    name: String!
  }
  input RuleRef {
    predicate: String!
    permission: Int!
  }
  input AddUserInput {
    name: String!
    password: String!
    groups: [GroupRef]
  }
  input UserPatch {
    password: String
    groups: [GroupRef]
  }
  input UpdateUserInput {
    filter: UserFilter!
    set: UserPatch
    remove: UserPatch
  }
  type AddUserPayload {
    user: [User]
  }
  type DeleteUserPayload {
    msg: String
    numUids: Int
  }
  input AddGroupInput {
    name: String!
    rules: [RuleRef]
  }
  input SetGroupPatch {
    rules: [RuleRef!]!
  }
  input RemoveGroupPatch {
    rules: [String!]!
  }
  input UpdateGroupInput {
    filter: GroupFilter!
    set: SetGroupPatch
    remove: RemoveGroupPatch
  }
  type AddGroupPayload {
    group: [Group]
  }
  type DeleteGroupPayload {
    msg: String
    numUids: Int
  }
  input AddNamespaceInput {
    password: String
  }
  input DeleteNamespaceInput {
    namespaceId: Int!
  }
  type NamespacePayload {
    namespaceId: UInt64
    message: String
  }
  input ResetPasswordInput {
    userId: String!
    password: String!
    namespace: Int!
  }
  type ResetPasswordPayload {
    userId: String
    message: String
    namespace: UInt64
  }
`;
