import { BODY_BYTES_MAX } from '../../../handlers/inbound/body.ts'
import {
  bigintOption,
  booleanOption,
  integerOption,
  listOption,
  textOption,
  type OptionTable,
} from '../option.ts'
import { checkApiGroups, checkCorsOrigins, checkHostAllowlist } from '../rpcValues.ts'

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
    fallback: 8545,
    min: 0,
    max: 65_535,
    placeholder: '<PORT>',
    description: 'Port to listen on; 0 takes a free one and prints it',
  }),
  rpcHttpApi: listOption({
    name: 'rpc-http-api',
    aliases: ['rpc-http-apis'],
    group: RPC,
    fallback: undefined,
    shownDefault: 'ETH,NET,WEB3; on a development chain QBFT,TXPOOL,DEBUG too',
    check: checkApiGroups,
    description: 'Groups of methods to serve; there are TRACE, ADMIN and MINER besides',
  }),
  rpcHttpCorsOrigins: listOption({
    name: 'rpc-http-cors-origins',
    group: RPC,
    fallback: [] as readonly string[],
    shownDefault: 'none',
    check: checkCorsOrigins,
    description: 'Web origins that may call, regular expressions; * for all',
  }),
  rpcHttpMaxActiveConnections: integerOption({
    name: 'rpc-http-max-active-connections',
    group: RPC,
    fallback: undefined,
    shownDefault: 'no limit',
    min: 1,
    max: 1_000_000,
    description: 'Most connections at the same time; one more is closed at once. Costs speed on Bun and Deno',
  }),
  rpcHttpMaxRequestContentLength: integerOption({
    name: 'rpc-http-max-request-content-length',
    group: RPC,
    fallback: BODY_BYTES_MAX,
    min: 1,
    max: 2 ** 31 - 1,
    placeholder: '<BYTES>',
    description: 'Longest request body, of GraphQL too; all bodies together have 256 MiB',
  }),
  rpcHttpMaxBatchSize: integerOption({
    name: 'rpc-http-max-batch-size',
    group: RPC,
    fallback: 1024,
    min: -1,
    max: 1_000_000,
    description: 'Most requests in one batch; 0 or less for no limit',
  }),
  jsonPrettyPrintEnabled: booleanOption({
    name: 'json-pretty-print-enabled',
    group: RPC,
    fallback: false,
    description: 'Indent the JSON of answers to single requests',
  }),
  rpcWorkers: integerOption({
    name: 'rpc-workers',
    group: RPC,
    fallback: undefined,
    shownDefault: 'one less than there are cores, 1 to 4',
    min: 0,
    max: 64,
    placeholder: '<COUNT>',
    description: 'Threads for long calls, traces and simulations; 0 runs them on the main thread',
  }),
  xHttpTimeoutSeconds: integerOption({
    name: 'Xhttp-timeout-seconds',
    group: RPC,
    fallback: 30,
    min: 1,
    max: 86_400,
    placeholder: '<SECONDS>',
    description: 'After so long a request is answered with a timeout',
  }),
} satisfies OptionTable

/** JSON-RPC however it comes. */
export const SHARED_RPC_OPTIONS = {
  hostAllowlist: listOption({
    name: 'host-allowlist',
    group: SHARED,
    fallback: ['localhost', '127.0.0.1'] as readonly string[],
    check: checkHostAllowlist,
    description: 'Host names that requests may address this node by; * for all',
  }),
  revertReasonEnabled: booleanOption({
    name: 'revert-reason-enabled',
    group: SHARED,
    fallback: true,
    description: 'Say in receipts what a transaction reverted with',
  }),
  rpcMaxLogsRange: bigintOption({
    name: 'rpc-max-logs-range',
    group: SHARED,
    fallback: 5000n,
    placeholder: '<BLOCKS>',
    description: 'Most blocks that one eth_getLogs may ask for; 0 for no limit',
  }),
  rpcMaxTraceFilterRange: bigintOption({
    name: 'rpc-max-trace-filter-range',
    group: SHARED,
    fallback: 1000n,
    placeholder: '<BLOCKS>',
    description: 'Most blocks that one trace_filter may ask for; 0 for no limit',
  }),
} satisfies OptionTable
