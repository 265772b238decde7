import type { TransactionRejected } from '../../core/txpool/rejection.ts'
import type { HistoryPruned } from '../../core/store/historyPruned.ts'

/** JSON-RPC errors with Besu's codes and texts. Clients match both. */
export const RPC_ERRORS = {
  PARSE_ERROR: { code: -32700, message: 'Parse error' },
  INVALID_REQUEST: { code: -32600, message: 'Invalid Request' },
  METHOD_NOT_FOUND: { code: -32601, message: 'Method not found' },
  METHOD_NOT_ENABLED: { code: -32604, message: 'Method not enabled' },
  UNAUTHORIZED: { code: -40100, message: 'Unauthorized' },
  SEND_TRANSACTION_NOT_SUPPORTED: {
    code: -32604,
    message:
      'The method eth_sendTransaction is not supported. Use eth_sendRawTransaction to send a signed transaction to this node.',
  },
  INTERNAL_ERROR: { code: -32603, message: 'Internal error' },
  TIMEOUT: { code: -32603, message: 'Timeout expired' },
  BATCH_TOO_LARGE: { code: -32005, message: 'Number of requests exceeds max batch size' },
  /** Besu has no such limit. */
  RESPONSE_TOO_LARGE: { code: -32005, message: 'Response to the batch exceeds the size limit' },
  /** Besu has no such limit. */
  ANSWER_TOO_LARGE: { code: -32005, message: 'Answer exceeds the size limit of a message' },
  /** Besu has no such limit. */
  TOO_MANY_REQUESTS: { code: -32005, message: 'Too many requests: wait as long as Retry-After says' },
  FILTERS_TOO_MANY: {
    code: -32005,
    message:
      'Too many filters on this node (--rpc-max-active-filters): remove those that are not used with eth_uninstallFilter',
  },
  FILTER_VALUES_TOO_MANY: {
    code: -32005,
    message: 'Too many addresses and topics in the filters of this node: use fewer of them',
  },
  SUBSCRIPTIONS_TOO_MANY_OPEN: {
    code: -32005,
    message: 'Too many subscriptions on this node (--rpc-ws-max-active-subscriptions)',
  },
  LOG_SUBSCRIPTIONS_TOO_MANY: {
    code: -32005,
    message: 'Too many addresses and topics in the log subscriptions of this node: use fewer of them',
  },
  SUBSCRIPTIONS_TOO_MANY: { code: -32005, message: 'Too many subscriptions on this connection' },
  /** Besu has no such limits; a disconnected client receives the one that it exceeded. */
  SLOW_READER: {
    code: -32005,
    message: 'Closing the connection: the client has not read too many of its messages',
  },
  TOO_MANY_NOTIFICATIONS: {
    code: -32005,
    message:
      'Closing the connection: its subscriptions match more than the node can send, use narrower filters',
  },
  TOO_MANY_WAITING: { code: -32005, message: 'Closing the connection: too many of its requests are waiting' },
  /** Subscriptions continue for a minute after their token has expired. */
  SUBSCRIPTIONS_ENDED: {
    code: -40100,
    message: 'Subscriptions have ended: the token no longer permits them',
  },
  /** Besu has no such limit. */
  TRACE_TOO_LARGE: { code: -32005, message: 'Trace exceeds the size limit' },
  /** Besu has no such limit. */
  TOO_MANY_CALLS: { code: -32005, message: 'Too many calls are waiting: try again later' },
  /** Besu has no such limits. */
  REQUEST_TOO_COMPLEX: {
    code: -32005,
    message: 'Request has more JSON values than the node accepts: send a smaller request',
  },
  NODE_BUSY: { code: -32005, message: 'Too many requests are in progress: try again later' },
  LOGS_RANGE_TOO_LARGE: { code: -32005, message: 'Requested range exceeds maximum RPC range limit' },
  /** Besu has no such limit. */
  LOGS_TOO_MANY: { code: -32005, message: 'Query returns more logs than the node sends in one answer' },

  INVALID_PARAMS: { code: -32602, message: 'Invalid params' },
  INVALID_PARAM_COUNT: { code: -32602, message: 'Invalid number of params' },
  INVALID_ADDRESS: { code: -32602, message: 'Invalid address params' },
  INVALID_BLOCK: { code: -32602, message: 'Invalid block param (block not found)' },
  INVALID_BLOCK_COUNT: { code: -32602, message: 'Invalid block count params' },
  INVALID_BLOCK_HASH: { code: -32602, message: 'Invalid block hash params' },
  INVALID_BLOCK_INDEX: { code: -32602, message: 'Invalid block index params' },
  INVALID_BLOCK_NUMBER: { code: -32602, message: 'Invalid block number params' },
  INVALID_CALL: { code: -32602, message: 'Invalid call params' },
  INVALID_DATA: { code: -32602, message: 'Invalid data params' },
  INVALID_FILTER: { code: -32602, message: 'Invalid filter params' },
  INVALID_ID: { code: -32602, message: 'Invalid ID params' },
  INVALID_FULL_TRANSACTIONS: { code: -32602, message: 'Invalid return complete transaction params' },
  INVALID_POSITION: { code: -32602, message: 'Invalid position params' },
  INVALID_REWARD_PERCENTILES: { code: -32602, message: 'Invalid reward percentiles params' },
  INVALID_STORAGE_KEYS: { code: -32602, message: 'Invalid storage keys params' },
  INVALID_TRANSACTION_HASH: { code: -32602, message: 'Invalid transaction hash params' },
  INVALID_TRANSACTION_INDEX: { code: -32602, message: 'Invalid transaction index params' },
  INVALID_TRANSACTION_LIMIT: { code: -32602, message: 'Invalid transaction limit params' },
  INVALID_TRACE_CALL_MANY: { code: -32602, message: 'Invalid trace call many params' },
  INVALID_TRACE_NUMBERS: { code: -32602, message: 'Invalid trace numbers params' },
  INVALID_TRACE_TYPE: { code: -32602, message: 'Invalid trace type params' },
  INVALID_TRANSACTION_TRACE: { code: -32602, message: 'Invalid transaction trace params' },
  INVALID_TIMEOUT: { code: -32602, message: 'Invalid timeout params' },
  INVALID_LOG_LEVEL: { code: -32602, message: 'Invalid log level params (missing or incorrect)' },
  INVALID_MIN_GAS_PRICE: { code: -32602, message: 'Invalid min gas price params' },
  INVALID_MIN_PRIORITY_FEE: { code: -32602, message: 'Invalid min priority fee params' },
  INVALID_EXTRA_DATA: { code: -32602, message: 'Invalid extra data params' },
  INVALID_TARGET_GAS_LIMIT: { code: -32602, message: 'Invalid target gas limit params' },
  INVALID_TRANSACTION: { code: -32602, message: 'Invalid transaction params (missing or incorrect)' },
  INVALID_ADDRESS_HASH: { code: -32602, message: 'Invalid address hash params' },
  INVALID_DATA_HASH: { code: -32602, message: 'Invalid data hash params' },
  INVALID_MAX_RESULTS: { code: -32602, message: 'Invalid max results params' },
  INVALID_VOTE_TYPE: { code: -32602, message: 'Invalid vote type params' },
  INVALID_ENODE: { code: -32602, message: 'Invalid enode params' },
  INVALID_PENDING_TRANSACTIONS: { code: -32602, message: 'Invalid pending transactions params' },

  EXECUTION_REVERTED: { code: 3, message: 'Execution reverted' },
  EXECUTION_HALTED: {
    code: -32000,
    message: 'Transaction processing could not be completed due to an exception',
  },
  INVALID_INPUT: { code: -32000, message: 'Invalid input' },
  PARENT_BLOCK_NOT_FOUND: { code: -32000, message: 'Parent block not found' },
  /** geth's text: there is no state before the genesis block. */
  GENESIS_NOT_TRACEABLE: { code: -32000, message: 'genesis is not traceable' },
  BLOCK_NOT_FOUND: { code: -32000, message: 'Block not found' },
  RESOURCE_NOT_FOUND: { code: -32001, message: 'Resource not found' },
  SUBSCRIPTION_NOT_FOUND: { code: -32000, message: 'Subscription not found' },
  ACCOUNT_NOT_FOUND: { code: -32000, message: 'Account not found' },
  TRANSACTION_NOT_FOUND: { code: -32000, message: 'Transaction not found' },
  COINBASE_NOT_SPECIFIED: { code: -32000, message: 'Coinbase must be explicitly specified' },
  TARGET_GAS_LIMIT_UNSUPPORTED: {
    code: -32011,
    message: "The node is not attempting to target a gas limit so the target can't be changed",
  },
  FILTER_NOT_FOUND: { code: -32000, message: 'Filter not found' },
  LOGS_FILTER_NOT_FOUND: { code: -32000, message: 'Logs filter not found' },
  P2P_DISABLED: {
    code: -32000,
    message: 'P2P has been disabled. This functionality is not available',
  },
  P2P_NOT_RUNNING: { code: -32000, message: 'P2P network is not running' },
  INVALID_NODE_ID: {
    code: -32000,
    message:
      "Invalid node ID: node ID must have exactly 128 hexadecimal characters and should not include any '0x' hex prefix.",
  },
  NODE_ID_NOT_A_KEY: { code: -32000, message: 'Invalid node ID: it is not a secp256k1 public key.' },
  NON_PERMITTED_NODE: { code: -32000, message: 'Cannot add a non-permitted node as a peer' },
  ACCOUNT_ALLOWLIST_OFF: { code: -32000, message: 'Account allowlist has not been enabled' },
  NODE_ALLOWLIST_OFF: { code: -32000, message: 'Node allowlist has not been enabled' },
  ALLOWLISTS_OFF: { code: -32000, message: 'Node/Account allowlist has not been enabled' },
  INVALID_ACCOUNT_PARAMS: { code: -32602, message: 'Invalid account params' },
  INVALID_NODE_PARAMS: { code: -32602, message: 'Invalid node params' },
  PERM_EMPTY_ACCOUNTS: { code: -32000, message: 'Request contains an empty list of accounts' },
  PERM_INVALID_ACCOUNT: { code: -32000, message: 'Request contains an invalid account' },
  PERM_DUPLICATE_ACCOUNTS: { code: -32000, message: 'Request contains duplicate accounts' },
  PERM_EXISTING_ACCOUNT: { code: -32000, message: 'Cannot add an existing account to allowlist' },
  PERM_ABSENT_ACCOUNT: { code: -32000, message: 'Cannot remove an absent account from allowlist' },
  PERM_EMPTY_NODES: { code: -32000, message: 'Request contains an empty list of nodes' },
  PERM_INVALID_NODE: { code: -32000, message: 'Request contains an invalid node' },
  PERM_DUPLICATE_NODES: { code: -32000, message: 'Request contains duplicate nodes' },
  PERM_EXISTING_NODE: { code: -32000, message: 'Cannot add an existing node to allowlist' },
  PERM_ABSENT_NODE: { code: -32000, message: 'Cannot remove an absent node from allowlist' },
  PERM_FIXED_NODE: {
    code: -32000,
    message: 'Cannot remove a fixed node (bootnode or static node) from allowlist',
  },
  PERM_NOT_PERSISTED: {
    code: -32000,
    message: 'Unable to persist changes to allowlist configuration file. Changes reverted',
  },
  PERM_FILE_OUT_OF_SYNC: {
    code: -32000,
    message:
      'The permissioning allowlist configuration file is out of sync.  The changes have been applied, but not persisted to disk',
  },
  PERM_RELOAD_FAILED: {
    code: -32000,
    message:
      'Error reloading permissions file. Please use perm_getAccountsAllowlist and perm_getNodesAllowlist to review the current state of the allowlists',
  },
  LOCAL_NODE: { code: -32100, message: 'Cannot add local node as peer.' },
  /** Besu has no such limit. */
  TOO_MANY_VOTES: { code: -32000, message: 'Too many votes are pending: discard those that are decided' },
  INVALID_SNAPSHOT_NAME: { code: -32602, message: 'Invalid snapshot name params' },
  SNAPSHOT_REFUSED: { code: -32000, message: 'Cannot write a snapshot' },
  /** Of a development chain. */
  FORK_UNAVAILABLE: { code: -32000, message: 'The forked network cannot be read' },
  DEVELOPMENT_REFUSED: { code: -32000, message: 'The development chain cannot do this' },
  UNKNOWN_ACCOUNT: {
    code: -32000,
    message: 'The node holds no key of this account, and it is not impersonated',
  },
  TIMESTAMP_TOO_LOW: { code: -32000, message: 'The timestamp is before that of the head' },
  WORLD_STATE_UNAVAILABLE: { code: -32000, message: 'World state unavailable' },
  INVALID_SIGNATURE: { code: -32002, message: 'Invalid signature' },
  /** EIP-4444, as in the execution-apis. */
  PRUNED_HISTORY: { code: 4444, message: 'Pruned history unavailable' },
  UNKNOWN_BLOCK: { code: -39001, message: 'Unknown block' },

  WRONG_CHAIN_ID: { code: -32000, message: 'Wrong chainId' },
  INVALID_TRANSACTION_TYPE: { code: -32602, message: 'Invalid transaction type' },
  INVALID_BLOB_COUNT: {
    code: -32602,
    message: 'Invalid blob count (blob transactions must have at least one blob)',
  },
  NONCE_TOO_LOW: { code: -32001, message: 'Nonce too low' },
  INTRINSIC_GAS: { code: -32003, message: 'Intrinsic gas exceeds gas limit' },
  UPFRONT_COST: { code: -32004, message: 'Upfront cost exceeds account balance' },
  GAS_PRICE_BELOW_BASE_FEE: { code: -32009, message: 'Gas price below current base fee' },
  BLOB_GAS_PRICE_BELOW_BASE_FEE: {
    code: -32009,
    message: 'blob gas price below current blob base fee',
  },
  /** EIP-7966, for eth_sendRawTransactionSync. */
  SEND_SYNC_TIMEOUT: {
    code: 4,
    message:
      "The transaction was added to the mempool but wasn't processed within the designated timeout interval.",
  },
  SEND_SYNC_DROPPED: {
    code: 5,
    message: 'The transaction was dropped from the pool before it was processed.',
  },
  SEND_SYNC_NONCE_GAP: {
    code: 6,
    message: 'The transaction was rejected due to a nonce gap. Please resubmit with the next on-chain nonce.',
  },
  /** Besu has no such methods. */
  POOL_TOO_LARGE: { code: -32005, message: 'The pool is too large to be returned in one answer' },
  SEND_SYNC_TOO_MANY: { code: -32005, message: 'Too many requests are waiting for their transactions' },
  PRIORITY_FEE_ABOVE_MAX_FEE: {
    code: -32000,
    message: 'Max priority fee per gas exceeds max fee per gas',
  },
  /** Codes of the execution-apis for eth_simulateV1. */
  SIMULATION_NONCE_TOO_LOW: { code: -38010, message: 'Nonce too low' },
  /** The code in the execution-apis' examples. */
  SIMULATION_NONCE_MAX: { code: -32603, message: 'Nonce has max value' },
  SIMULATION_NONCE_TOO_HIGH: { code: -38011, message: 'Nonce too high' },
  SIMULATION_FEE_TOO_LOW: { code: -38012, message: 'Max fee per gas below the base fee of the block' },
  SIMULATION_INTRINSIC_GAS: { code: -38013, message: 'Intrinsic gas exceeds gas limit' },
  SIMULATION_UPFRONT_COST: { code: -38014, message: 'insufficient funds for gas * price + value' },
  SIMULATION_BLOCK_GAS: { code: -38015, message: 'Transaction gas limit exceeds block gas limit' },
  SIMULATION_BLOCK_NUMBERS: { code: -38020, message: 'Block numbers are not ascending' },
  SIMULATION_TIMESTAMPS: { code: -38021, message: 'Timestamps are not ascending' },
  SIMULATION_MOVE_TO_ITSELF: { code: -38022, message: 'A precompile is moved to its own address' },
  SIMULATION_INITCODE: { code: -38025, message: 'Initialization code is too large' },
  /** In the result, of one call. */
  SIMULATED_CALL_HALTED: { code: -32015, message: 'Execution halted' },
  SIMULATION_LIMIT: { code: -38026, message: 'Too much to simulate' },

  TOTAL_BLOB_GAS: { code: -32000, message: 'Total blob gas too high' },
  BLOBS_INVALID: { code: -32602, message: 'blobs failed kzg validation' },
} as const

export type RpcErrorName = keyof typeof RPC_ERRORS

/** The `error` of a reply; `data` is omitted when undefined. */
export type RpcErrorObject = { readonly code: number; readonly message: string; readonly data?: unknown }

/** The error for a rejection by the pool: Besu's code and text, and the compared values as `data` where the text lacks them. */
export const rejectionObject = ({ rpcCode, message, details }: TransactionRejected): RpcErrorObject =>
  message.includes(details) ? { code: rpcCode, message } : { code: rpcCode, message, data: details }

export const rpcErrorObject = (name: RpcErrorName): RpcErrorObject => RPC_ERRORS[name]

/** The error of a method, by its row in the table. `detail` is appended to the text in brackets. */
export class RpcError extends Error {
  override readonly name = 'RpcError'
  readonly code: RpcErrorName
  readonly detail: string | undefined
  readonly data: unknown
  constructor(
    code: RpcErrorName,
    options: { readonly detail?: string; readonly data?: unknown; readonly cause?: unknown } = {},
  ) {
    const { message } = RPC_ERRORS[code]
    super(options.detail === undefined ? message : `${message} (${options.detail})`, { cause: options.cause })
    this.code = code
    this.detail = options.detail
    this.data = options.data
  }
}

/** The error for a block or a state that this node has removed: for a state Besu's, for a block that of EIP-4444. */
export const prunedError = (cause: HistoryPruned): RpcError =>
  new RpcError(cause.what === 'state' ? 'WORLD_STATE_UNAVAILABLE' : 'PRUNED_HISTORY', {
    data: cause.message,
    cause,
  })

/** The error of a call for another chain. */
export const wrongChainId = (given: bigint, own: bigint): RpcError =>
  new RpcError('WRONG_CHAIN_ID', { data: `the call is for chain ${given}, this is chain ${own}` })

/** The error object of an RpcError. @param otherwise `data` where the error has none */
export const errorObject = ({ code: name, message, data }: RpcError, otherwise?: string): RpcErrorObject => {
  const { code } = RPC_ERRORS[name]
  const answered = data ?? otherwise
  return answered === undefined ? { code, message } : { code, message, data: answered }
}
