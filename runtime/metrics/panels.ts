export type Query = { readonly expression: string; readonly legend: string }

/** One panel of the dashboard; the unit is one of Grafana's. */
export type Panel = {
  readonly title: string
  readonly unit: string
  readonly queries: readonly Query[]
}

export type PanelRow = { readonly title: string; readonly panels: readonly Panel[] }

/** The metrics of the chosen nodes. */
const metric = (name: string, labels = ''): string =>
  `${name}{job=~"$job",instance=~"$instance"${labels === '' ? '' : `,${labels}`}}`
const rate = (name: string, labels = ''): string => `rate(${metric(name, labels)}[$__rate_interval])`
const increase = (name: string): string => `increase(${metric(name)}[1h])`
const p95 = (name: string, label: string): string =>
  `histogram_quantile(0.95, sum by (le, ${label}) (${rate(`${name}_bucket`)}))`

const BY_NODE = '{{instance}}'
const BY_VALIDATOR = '{{validator}}'
const query = (expression: string, legend = BY_NODE): Query => ({ expression, legend })
const panel = (title: string, unit: string, ...queries: readonly Query[]): Panel => ({ title, unit, queries })

const CHAIN: PanelRow = {
  title: 'Chain',
  panels: [
    panel('Height', 'none', query(metric('ethereum_blockchain_height'))),
    panel('Age of the head', 's', query(`time() - ${metric('besu_blockchain_chain_head_timestamp')}`)),
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
      query(
        `${metric('besu_blockchain_chain_head_gas_used')} / ${metric('besu_blockchain_chain_head_gas_limit')}`,
      ),
    ),
  ],
}

const CONSENSUS: PanelRow = {
  title: 'Consensus',
  panels: [
    panel('Stalled (1: see qbft_getStatus)', 'none', query(metric('qbft_stalled'), '{{instance}} {{kind}}')),
    panel('Round', 'none', query(metric('qbft_round'))),
    panel('Rounds above 0', 'ops', query(`sum by (reason) (${rate('qbft_rounds_total')})`, '{{reason}}')),
    panel(
      'Validators: time since last heard',
      's',
      query(
        `time() - max by (validator) (${metric('qbft_validator_last_seen_timestamp_seconds')})`,
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
      query(metric('qbft_validators'), '{{instance}} validators'),
      query(metric('qbft_pending_votes'), '{{instance}} votes'),
    ),
    panel(
      'Clock of validators',
      's',
      query(metric('qbft_clock_offset_seconds'), '{{instance}} of {{validator}}'),
    ),
    panel(
      'Evidence of double signing',
      'none',
      query(`sum by (kind) (${metric('qbft_evidence_total')})`, '{{kind}}'),
    ),
  ],
}

const PEERS: PanelRow = {
  title: 'Peers and sync',
  panels: [
    panel('Peers', 'none', query(metric('ethereum_peer_count'))),
    panel(
      'Connections made and lost',
      'ops',
      query(rate('besu_peers_connected_total'), '{{instance}} made'),
      query(rate('besu_peers_disconnected_total'), '{{instance}} lost'),
    ),
    panel(
      'Peers by software',
      'none',
      query(metric('besu_peers_peer_count_by_client'), '{{instance}} {{client}}'),
    ),
    panel(
      'Blocks behind the peers',
      'none',
      query(`${metric('ethereum_best_known_block_number')} - ${metric('ethereum_blockchain_height')}`),
    ),
    panel('In sync', 'none', query(metric('besu_synchronizer_in_sync'))),
  ],
}

const POOL: PanelRow = {
  title: 'Transaction pool',
  panels: [
    panel(
      'Transactions',
      'none',
      query(metric('besu_transaction_pool_number_of_transactions'), '{{instance}} {{layer}}'),
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
    panel('Size', 'bytes', query(metric('besu_transaction_pool_space_used'))),
    panel('Senders', 'none', query(metric('besu_transaction_pool_unique_senders'))),
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
      query(`max by (methodName) (${metric('besu_rpc_request_time', 'quantile="0.95"')})`, '{{methodName}}'),
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
      query(metric('besu_rpc_active_http_connection_count'), '{{instance}} HTTP'),
      query(metric('besu_rpc_active_ws_connection_count'), '{{instance}} WebSocket'),
    ),
    panel(
      'Subscriptions',
      'none',
      query(
        `sum by (type) (${metric('besu_rpc_subscription_subscribe_total')}) - sum by (type) (${metric('besu_rpc_subscription_unsubscribe_total')})`,
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
      query(metric('process_resident_memory_bytes'), '{{instance}} resident'),
      query(metric('process_heap_bytes'), '{{instance}} heap'),
    ),
    panel('Open files', 'none', query(metric('process_open_fds'))),
    panel('Uptime', 's', query(`time() - ${metric('process_start_time_seconds')}`)),
  ],
}

/** The panels of the dashboard. */
export const PANEL_ROWS: readonly PanelRow[] = [CHAIN, CONSENSUS, PEERS, POOL, RPC, PROCESS]
