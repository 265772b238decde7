export type Query = { readonly expression: string; readonly legend: string }

/** One panel of the dashboard; the unit is one of Grafana's. */
export type Panel = {
  readonly title: string
  readonly unit: string
  readonly queries: readonly Query[]
}

export type PanelRow = { readonly title: string; readonly panels: readonly Panel[] }

/** The metrics of the chosen nodes. */
const of = (metric: string, labels = ''): string =>
  `${metric}{job=~"$job",instance=~"$instance"${labels === '' ? '' : `,${labels}`}}`
const rate = (metric: string, labels = ''): string => `rate(${of(metric, labels)}[$__rate_interval])`
const increase = (metric: string): string => `increase(${of(metric)}[1h])`
const p95 = (metric: string, label: string): string =>
  `histogram_quantile(0.95, sum by (le, ${label}) (${rate(`${metric}_bucket`)}))`

const BY_NODE = '{{instance}}'
const BY_VALIDATOR = '{{validator}}'
const query = (expression: string, legend = BY_NODE): Query => ({ expression, legend })
const panel = (title: string, unit: string, ...queries: readonly Query[]): Panel => ({ title, unit, queries })

const CHAIN: PanelRow = {
  title: 'Chain',
  panels: [
    panel('Height', 'none', query(of('ethereum_blockchain_height'))),
    panel('Age of the head', 's', query(`time() - ${of('besu_blockchain_chain_head_timestamp')}`)),
    panel(
      'Block interval, mean',
      's',
      query(`${rate('qbft_block_interval_seconds_sum')} / ${rate('qbft_block_interval_seconds_count')}`),
    ),
    panel('Transactions', 'ops', query(rate('besu_blockchain_chain_head_transaction_count_counter_total'))),
    panel('Gas', 'none', query(rate('besu_blockchain_chain_head_gas_used_counter_total'))),
    panel(
      'Fill of the head',
      'percentunit',
      query(`${of('besu_blockchain_chain_head_gas_used')} / ${of('besu_blockchain_chain_head_gas_limit')}`),
    ),
  ],
}

const CONSENSUS: PanelRow = {
  title: 'Consensus',
  panels: [
    panel('Stalled (1: see qbft_getStatus)', 'none', query(of('qbft_stalled'), '{{instance}} {{kind}}')),
    panel('Round', 'none', query(of('qbft_round'))),
    panel('Rounds above 0', 'ops', query(`sum by (reason) (${rate('qbft_rounds_total')})`, '{{reason}}')),
    panel(
      'Validators: time since last heard',
      's',
      query(
        `time() - max by (validator) (${of('qbft_validator_last_seen_timestamp_seconds')})`,
        BY_VALIDATOR,
      ),
    ),
    panel('Steps of a block, 95 %', 's', query(p95('qbft_step_duration_seconds', 'step'), '{{step}}')),
    panel('Delay of quorums, 95 %', 's', query(p95('qbft_quorum_delay_seconds', 'phase'), '{{phase}}')),
    panel(
      'Blocks proposed in the last hour',
      'none',
      query(`max by (validator) (${increase('qbft_blocks_proposed_total')})`, BY_VALIDATOR),
    ),
    panel(
      'Missed proposals in the last hour',
      'none',
      query(`max by (validator) (${increase('qbft_missed_proposals_total')})`, BY_VALIDATOR),
    ),
    panel(
      'Missed seals in the last hour',
      'none',
      query(`max by (validator) (${increase('qbft_missed_seals_total')})`, BY_VALIDATOR),
    ),
    panel(
      'Messages received',
      'ops',
      query(`sum by (type) (${rate('qbft_messages_total', 'direction="in"')})`, '{{type}}'),
    ),
    panel(
      'Messages by result',
      'ops',
      query(`sum by (result) (${rate('qbft_messages_total')})`, '{{result}}'),
    ),
    panel(
      'Validators, and pending votes',
      'none',
      query(of('qbft_validators'), '{{instance}} validators'),
      query(of('qbft_pending_votes'), '{{instance}} votes'),
    ),
    panel(
      'Clock of validators',
      's',
      query(of('qbft_clock_offset_seconds'), '{{instance}} of {{validator}}'),
    ),
    panel(
      'Evidence of double signing',
      'none',
      query(`sum by (kind) (${of('qbft_evidence_total')})`, '{{kind}}'),
    ),
  ],
}

const PEERS: PanelRow = {
  title: 'Peers and sync',
  panels: [
    panel('Peers', 'none', query(of('ethereum_peer_count'))),
    panel(
      'Connections made and lost',
      'ops',
      query(rate('besu_peers_connected_total'), '{{instance}} made'),
      query(rate('besu_peers_disconnected_total'), '{{instance}} lost'),
    ),
    panel(
      'Peers by software',
      'none',
      query(of('besu_peers_peer_count_by_client'), '{{instance}} {{client}}'),
    ),
    panel(
      'Blocks behind the peers',
      'none',
      query(`${of('ethereum_best_known_block_number')} - ${of('ethereum_blockchain_height')}`),
    ),
    panel('In sync', 'none', query(of('besu_synchronizer_in_sync'))),
  ],
}

const POOL: PanelRow = {
  title: 'Transaction pool',
  panels: [
    panel(
      'Transactions',
      'none',
      query(of('besu_transaction_pool_number_of_transactions'), '{{instance}} {{layer}}'),
    ),
    panel(
      'Added',
      'ops',
      query(rate('besu_transaction_pool_transactions_added_total'), '{{instance}} {{source}}'),
    ),
    panel(
      'Removed',
      'ops',
      query(
        rate('besu_transaction_pool_transactions_removed_total'),
        '{{instance}} {{source}} {{operation}}',
      ),
    ),
    panel('Size', 'bytes', query(of('besu_transaction_pool_space_used'))),
    panel('Senders', 'none', query(of('besu_transaction_pool_unique_senders'))),
  ],
}

const RPC: PanelRow = {
  title: 'JSON-RPC',
  panels: [
    panel(
      'Calls',
      'ops',
      query(`sum by (methodName) (${rate('besu_rpc_request_time_count')})`, '{{methodName}}'),
    ),
    panel(
      'Time of calls, 95 %',
      's',
      query(`max by (methodName) (${of('besu_rpc_request_time', 'quantile="0.95"')})`, '{{methodName}}'),
    ),
    panel(
      'Errors',
      'ops',
      query(
        `sum by (rpcMethod, errorType) (${rate('besu_rpc_errors_count_total')})`,
        '{{rpcMethod}} {{errorType}}',
      ),
    ),
    panel(
      'Connections',
      'none',
      query(of('besu_rpc_active_http_connection_count'), '{{instance}} HTTP'),
      query(of('besu_rpc_active_ws_connection_count'), '{{instance}} WebSocket'),
    ),
    panel(
      'Subscriptions',
      'none',
      query(
        `sum by (type) (${of('besu_rpc_subscription_subscribe_total')}) - sum by (type) (${of('besu_rpc_subscription_unsubscribe_total')})`,
        '{{type}}',
      ),
    ),
  ],
}

const PROCESS: PanelRow = {
  title: 'Process',
  panels: [
    panel('CPU', 'percentunit', query(rate('process_cpu_seconds_total'))),
    panel(
      'Memory',
      'bytes',
      query(of('process_resident_memory_bytes'), '{{instance}} resident'),
      query(of('process_heap_bytes'), '{{instance}} heap'),
    ),
    panel('Open files', 'none', query(of('process_open_fds'))),
    panel('Uptime', 's', query(`time() - ${of('process_start_time_seconds')}`)),
  ],
}

/** The panels of the dashboard. */
export const PANEL_ROWS: readonly PanelRow[] = [CHAIN, CONSENSUS, PEERS, POOL, RPC, PROCESS]
