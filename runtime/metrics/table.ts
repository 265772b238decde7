import type { MetricCategory } from '../cli/metricCategories.ts'

export type MetricKind = 'counter' | 'gauge' | 'histogram' | 'summary'

export type MetricRow = {
  readonly kind: MetricKind
  readonly category: MetricCategory
  /** A phrase without a full stop; the unit is part of the metric's name. */
  readonly help: string
  readonly labels: readonly string[]
  /** Upper bounds, of a histogram only. */
  readonly buckets?: readonly number[]
}

const row =
  (kind: MetricKind) =>
  (category: MetricCategory, help: string, ...labels: readonly string[]): MetricRow => ({
    kind,
    category,
    help,
    labels,
  })
const gauge = row('gauge')
const counter = row('counter')
const summary = row('summary')
const histogram = (
  category: MetricCategory,
  help: string,
  buckets: readonly number[],
  ...labels: readonly string[]
): MetricRow => ({ ...row('histogram')(category, help, ...labels), buckets })

/** Seconds: from a fast local network to a round that times out. */
const STEP_BUCKETS = [0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 30]
/** Seconds: block periods from milliseconds to an idle network with a long empty period. */
const INTERVAL_BUCKETS = [0.1, 0.25, 0.5, 1, 1.5, 2, 3, 5, 7.5, 10, 15, 30, 60, 300]

/** Metrics with Besu's names, so that existing dashboards work. */
const BESU_METRICS = {
  ethereum_blockchain_height: gauge('ETHEREUM', 'Number of the head block'),
  ethereum_best_known_block_number: gauge('ETHEREUM', 'Highest block number that this node or a peer has'),
  ethereum_blockchain_finalized_block: gauge('ETHEREUM', 'Latest final block: with QBFT the head'),
  ethereum_blockchain_safe_block: gauge('ETHEREUM', 'Latest safe block: with QBFT the head'),
  ethereum_peer_count: gauge('ETHEREUM', 'Connected peers'),
  ethereum_peer_count_incomplete: gauge('ETHEREUM', 'Connections that are in their handshake'),
  ethereum_peer_limit: gauge('ETHEREUM', 'Limit of connected peers, static nodes not counted'),
  besu_blockchain_difficulty: gauge('BLOCKCHAIN', 'Total difficulty of the chain'),
  besu_blockchain_chain_head_timestamp: gauge('BLOCKCHAIN', 'Timestamp of the head, seconds since 1970'),
  besu_blockchain_chain_head_gas_used: gauge('BLOCKCHAIN', 'Gas used by the head'),
  besu_blockchain_chain_head_gas_limit: gauge('BLOCKCHAIN', 'Gas limit of the head'),
  besu_blockchain_chain_head_transaction_count: gauge('BLOCKCHAIN', 'Transactions in the head'),
  besu_blockchain_chain_head_ommer_count: gauge('BLOCKCHAIN', 'Ommers of the head'),
  besu_blockchain_chain_head_gas_used_counter_total: counter(
    'BLOCKCHAIN',
    'Gas used by the blocks since the start of the process',
  ),
  besu_blockchain_chain_head_transaction_count_counter_total: counter(
    'BLOCKCHAIN',
    'Transactions in the blocks since the start of the process',
  ),
  quorate_history_start_block: gauge(
    'BLOCKCHAIN',
    'First block whose content and state are kept; 0 while all are (--prune-history)',
  ),
  besu_synchronizer_in_sync: gauge('SYNCHRONIZER', '1 while the node is level with its peers, else 0'),
  besu_peers_connected_total: counter('PEERS', 'Peers that connected'),
  besu_peers_disconnected_total: counter('PEERS', 'Peers that disconnected'),
  besu_peers_peer_count_by_client: gauge('PEERS', 'Connected peers by the name of their software', 'client'),
  besu_transaction_pool_transactions: gauge('TRANSACTION_POOL', 'Transactions in the pool'),
  besu_transaction_pool_transactions_added_total: counter(
    'TRANSACTION_POOL',
    'Transactions that entered the pool',
    'source',
  ),
  besu_transaction_pool_transactions_removed_total: counter(
    'TRANSACTION_POOL',
    'Transactions that left the pool',
    'source',
    'operation',
  ),
  besu_transaction_pool_number_of_transactions: gauge(
    'TRANSACTION_POOL',
    'Transactions in the pool: ready ones follow their account without a nonce gap, sparse ones wait behind one',
    'layer',
  ),
  besu_transaction_pool_space_used: gauge('TRANSACTION_POOL', 'Encoded bytes in the pool', 'layer'),
  besu_transaction_pool_unique_senders: gauge('TRANSACTION_POOL', 'Senders in the pool', 'layer'),
  besu_rpc_request_time: summary('RPC', 'Time of JSON-RPC calls in seconds', 'methodName'),
  besu_rpc_active_http_connection_count: gauge('RPC', 'JSON-RPC requests over HTTP under way'),
  besu_rpc_active_ws_connection_count: gauge('RPC', 'Open WebSocket connections'),
  besu_rpc_errors_count_total: counter(
    'RPC',
    'JSON-RPC calls answered with an error',
    'rpcMethod',
    'errorType',
  ),
  besu_rpc_subscription_subscribe_total: counter('RPC', 'Subscriptions created', 'type'),
  besu_rpc_subscription_unsubscribe_total: counter('RPC', 'Subscriptions ended', 'type'),
}

const permissionMetrics = (
  subject: 'account' | 'node',
  checks: string,
): Readonly<Record<string, MetricRow>> => ({
  [`besu_permissioning_${subject}_local_check_count_total`]: counter('PERMISSIONING', checks),
  [`besu_permissioning_${subject}_local_check_count_permitted_total`]: counter(
    'PERMISSIONING',
    `Checks that permitted the ${subject}`,
  ),
  [`besu_permissioning_${subject}_local_check_count_unpermitted_total`]: counter(
    'PERMISSIONING',
    `Checks that refused the ${subject}`,
  ),
})

const PERMISSION_METRICS = {
  ...permissionMetrics('account', 'Checks whether the sender of a submitted transaction may send it'),
  ...permissionMetrics('node', 'Checks whether a node may be connected, each second while it is'),
}

const PROCESS_METRICS = {
  process_cpu_seconds_total: counter('PROCESS', 'CPU time of the process in seconds'),
  process_resident_memory_bytes: gauge('PROCESS', 'Resident memory of the process'),
  process_heap_bytes: gauge('PROCESS', 'Used heap of the main thread'),
  process_open_fds: gauge('PROCESS', 'Open file descriptors (Linux)'),
  process_start_time_seconds: gauge('PROCESS', 'Start of the process, seconds since 1970'),
}

/** Consensus. A validator is labelled by its address; the label set is bounded by the validators of the head. */
const QBFT_METRICS = {
  qbft_height: gauge('QBFT', 'Block number that is being decided'),
  qbft_round: gauge('QBFT', 'Round of the block that is being decided; 0 before the first round starts'),
  qbft_proposal_gas_limit: gauge(
    'QBFT',
    'Gas to which this validator limits its blocks after undecided rounds; 0 without such a limit',
  ),
  qbft_rounds_total: counter('QBFT', 'Rounds above 0 that started', 'reason'),
  qbft_step_duration_seconds: histogram('QBFT', 'Duration of the steps of a block', STEP_BUCKETS, 'step'),
  qbft_quorum_delay_seconds: histogram(
    'QBFT',
    'Time from the arrival of a proposal to a quorum of its prepares or commits',
    STEP_BUCKETS,
    'phase',
  ),
  qbft_validators: gauge('QBFT', 'Validators of the next block'),
  qbft_is_validator: gauge('QBFT', '1 while this node is a validator of the next block, else 0'),
  qbft_validator_last_seen_timestamp_seconds: gauge(
    'QBFT',
    'Last signed message or sealed block of a validator, seconds since 1970',
    'validator',
  ),
  qbft_blocks_proposed_total: counter(
    'QBFT',
    'Blocks of a validator since the start of the process',
    'validator',
  ),
  qbft_missed_proposals_total: counter(
    'QBFT',
    'Rounds of a validator as proposer that decided no block',
    'validator',
  ),
  qbft_missed_seals_total: counter('QBFT', 'Blocks without a seal of a validator', 'validator'),
  qbft_messages_total: counter(
    'QBFT',
    'Consensus messages; the result of a received one is accepted or why it was dropped',
    'type',
    'direction',
    'result',
  ),
  qbft_evidence_total: counter('QBFT', 'Pairs of conflicting signatures of one validator', 'kind'),
  qbft_block_interval_seconds: histogram('QBFT', 'Time between two blocks', INTERVAL_BUCKETS),
  qbft_pending_votes: gauge('QBFT', 'Votes on validators that are cast and not decided'),
  qbft_stalled: gauge('QBFT', '1 while no block is decided (see qbft_getStatus), by kind of cause', 'kind'),
  qbft_clock_offset_seconds: gauge(
    'QBFT',
    "Clock of a validator minus this node's, from the time in its status",
    'validator',
  ),
}

/** Every metric by its name. */
export const METRICS: Readonly<Record<string, MetricRow>> = {
  ...BESU_METRICS,
  ...PERMISSION_METRICS,
  ...PROCESS_METRICS,
  ...QBFT_METRICS,
}
