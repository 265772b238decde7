import { RPC_PORT } from '../ports.ts'
import { BODY_BYTES_LIMIT, BODY_BYTES_MAX } from '../../../handlers/inbound/body.ts'
import { RPC_DEFAULTS } from '../../../handlers/rpc/context.ts'
import {
  bigintOption,
  booleanOption,
  integerOption,
  listOption,
  textOption,
  type OptionTable,
} from '../option.ts'
import { checkApiGroups, checkCorsOrigins, checkHostAllowlist } from '../values/rpc.ts'

const RPC = 'JSON-RPC over HTTP'
const SHARED = 'JSON-RPC'

/** JSON-RPC over HTTP. */
export const RPC_OPTIONS = {
  rpcHttpEnabled: booleanOption({
    name: 'rpc-http-enabled',
    group: RPC,
    fallback: undefined,
    shownDefault: 'false, true on a development chain',
    description: 'Serve JSON-RPC over HTTP',
  }),
  rpcHttpHost: textOption({
    name: 'rpc-http-host',
    group: RPC,
    fallback: '127.0.0.1',
    placeholder: '<HOST>',
    description: 'Address to listen on',
  }),
  rpcHttpPort: integerOption({
    name: 'rpc-http-port',
    group: RPC,
    fallback: RPC_PORT,
    min: 0,
    max: 65_535,
    placeholder: '<PORT>',
    description: 'Port to listen on; 0 for a free one, which is logged',
  }),
  rpcHttpApi: listOption({
    name: 'rpc-http-api',
    aliases: ['rpc-http-apis'],
    group: RPC,
    fallback: undefined,
    shownDefault: 'ETH,NET,WEB3; on a development chain QBFT,TXPOOL,DEBUG too',
    check: checkApiGroups,
    description: 'Method groups to serve; TRACE, ADMIN, MINER, PERM and OTS exist, too',
  }),
  rpcHttpCorsOrigins: listOption({
    name: 'rpc-http-cors-origins',
    group: RPC,
    fallback: [] as readonly string[],
    shownDefault: 'none',
    check: checkCorsOrigins,
    description: 'Allowed web origins, as regular expressions; * for all',
  }),
  rpcHttpMaxActiveConnections: integerOption({
    name: 'rpc-http-max-active-connections',
    group: RPC,
    fallback: undefined,
    shownDefault: 'no limit',
    min: 1,
    max: 1_000_000,
    description: 'Maximum open connections; further ones are closed at once. Slows down Bun and Deno',
  }),
  rpcHttpMaxRequestContentLength: integerOption({
    name: 'rpc-http-max-request-content-length',
    group: RPC,
    fallback: BODY_BYTES_MAX,
    min: 1,
    max: BODY_BYTES_LIMIT,
    maxReason: 'a longer body would block the event loop, and with it consensus, for more than 50 ms',
    placeholder: '<BYTES>',
    description: 'Maximum length of a request body, also for GraphQL; all bodies together may take 256 MiB',
  }),
  rpcHttpRateLimit: integerOption({
    name: 'rpc-http-rate-limit',
    group: RPC,
    fallback: undefined,
    shownDefault: 'no limit',
    min: 1,
    max: 1_000_000,
    placeholder: '<PER SECOND>',
    description: 'Maximum requests a second of one user, or of one address without tokens; a batch is one',
  }),
  rpcHttpMaxBatchSize: integerOption({
    name: 'rpc-http-max-batch-size',
    group: RPC,
    fallback: RPC_DEFAULTS.batchSizeMax,
    min: -1,
    max: 1_000_000,
    description: 'Maximum requests in one batch; 0 or less for no limit',
  }),
  jsonPrettyPrintEnabled: booleanOption({
    name: 'json-pretty-print-enabled',
    group: RPC,
    fallback: false,
    description: 'Indent the JSON of responses to single requests',
  }),
  explorerEnabled: booleanOption({
    name: 'explorer-enabled',
    group: RPC,
    fallback: undefined,
    shownDefault: 'false, true on a development chain',
    description: 'Serve the block explorer to browsers, at /explorer on the same port',
  }),
  explorerIndex: booleanOption({
    name: 'explorer-index',
    group: RPC,
    fallback: undefined,
    shownDefault: 'false, true on a development chain',
    description:
      'Index transactions by account and creators of contracts, for the group OTS and the explorer',
  }),
  rpcWorkers: integerOption({
    name: 'rpc-workers',
    group: RPC,
    fallback: undefined,
    shownDefault: 'number of cores less one, from 1 to 4',
    min: 0,
    max: 64,
    placeholder: '<COUNT>',
    description: 'Worker threads for long calls, traces and simulations; 0 runs them on the main thread',
  }),
  xHttpTimeoutSeconds: integerOption({
    name: 'Xhttp-timeout-seconds',
    group: RPC,
    fallback: RPC_DEFAULTS.timeoutMs / 1000,
    min: 1,
    max: 86_400,
    placeholder: '<SECONDS>',
    description: 'Timeout of a request',
  }),
} satisfies OptionTable

/** JSON-RPC over HTTP and WebSocket. */
export const SHARED_RPC_OPTIONS = {
  hostAllowlist: listOption({
    name: 'host-allowlist',
    aliases: ['host-whitelist'],
    group: SHARED,
    fallback: ['localhost', '127.0.0.1'] as readonly string[],
    check: checkHostAllowlist,
    description: 'Allowed Host headers of requests; * for all',
  }),
  revertReasonEnabled: booleanOption({
    name: 'revert-reason-enabled',
    group: SHARED,
    fallback: true,
    description: 'Add the revert reason to receipts',
  }),
  rpcMaxLogsRange: bigintOption({
    name: 'rpc-max-logs-range',
    group: SHARED,
    fallback: RPC_DEFAULTS.logsRangeMax,
    placeholder: '<BLOCKS>',
    description: 'Maximum block range of one eth_getLogs; 0 for no limit',
  }),
  rpcMaxActiveFilters: integerOption({
    name: 'rpc-max-active-filters',
    group: SHARED,
    fallback: RPC_DEFAULTS.activeFiltersMax,
    min: 0,
    max: 100_000,
    description: 'Maximum filters of all clients; a further one is refused until others expire; 0 for 100000',
  }),
  rpcFilterTimeoutSeconds: integerOption({
    name: 'rpc-filter-timeout-seconds',
    group: SHARED,
    fallback: RPC_DEFAULTS.filterTimeoutMs / 1000,
    min: 1,
    max: 86_400,
    placeholder: '<SECONDS>',
    description: 'Time after which an unused filter is removed',
  }),
  rpcMaxTraceSteps: integerOption({
    name: 'rpc-max-trace-steps',
    group: SHARED,
    fallback: RPC_DEFAULTS.traceStepsMax,
    min: 0,
    max: 1_000_000_000,
    description: 'Maximum recorded steps of one opcode trace; 0 for no limit but the size of the answer',
  }),
  rpcMaxTraceFilterRange: bigintOption({
    name: 'rpc-max-trace-filter-range',
    group: SHARED,
    fallback: RPC_DEFAULTS.traceFilterRangeMax,
    placeholder: '<BLOCKS>',
    description: 'Maximum block range of one trace_filter; 0 for no limit',
  }),
} satisfies OptionTable
