import { WS_PORT } from '../ports.ts'
import { RPC_DEFAULTS } from '../../../handlers/rpc/context.ts'
import { booleanOption, integerOption, listOption, textOption, type OptionTable } from '../option.ts'
import { checkApiGroups, checkCorsOrigins } from '../values/rpc.ts'

const WS = 'JSON-RPC over WebSocket'

/** JSON-RPC over WebSocket. */
export const WS_OPTIONS = {
  rpcWsEnabled: booleanOption({
    name: 'rpc-ws-enabled',
    group: WS,
    fallback: false,
    description: 'Serve JSON-RPC over WebSocket, with subscriptions',
  }),
  rpcWsHost: textOption({
    name: 'rpc-ws-host',
    group: WS,
    fallback: '127.0.0.1',
    placeholder: '<HOST>',
    description: 'Address to listen on',
  }),
  rpcWsPort: integerOption({
    name: 'rpc-ws-port',
    group: WS,
    fallback: WS_PORT,
    min: 0,
    max: 65_535,
    placeholder: '<PORT>',
    description: 'Port to listen on; 0 for a free one, which is logged',
  }),
  rpcWsApi: listOption({
    name: 'rpc-ws-api',
    aliases: ['rpc-ws-apis'],
    group: WS,
    fallback: undefined,
    shownDefault: 'ETH,NET,WEB3; on a development chain QBFT,TXPOOL,DEBUG too',
    check: checkApiGroups,
    description: 'Method groups to serve; eth_subscribe and eth_unsubscribe are always served',
  }),
  rpcWsCorsOrigins: listOption({
    name: 'rpc-ws-cors-origins',
    group: WS,
    fallback: [] as readonly string[],
    shownDefault: 'none',
    check: checkCorsOrigins,
    description:
      'Allowed web origins besides those of --rpc-http-cors-origins, as regular expressions; * for all',
  }),
  rpcWsMaxActiveConnections: integerOption({
    name: 'rpc-ws-max-active-connections',
    group: WS,
    fallback: 80,
    min: 1,
    max: 1_000_000,
    description: 'Maximum open connections',
  }),
  rpcWsMaxActiveSubscriptions: integerOption({
    name: 'rpc-ws-max-active-subscriptions',
    group: WS,
    fallback: RPC_DEFAULTS.subscriptionsMax,
    min: 0,
    max: 10_000_000,
    description: 'Maximum subscriptions of all connections together; 0 for no limit but that of connections',
  }),
  rpcWsMaxFrameSize: integerOption({
    name: 'rpc-ws-max-frame-size',
    group: WS,
    fallback: 1024 * 1024,
    min: 1,
    max: 64 * 1024 * 1024,
    placeholder: '<BYTES>',
    description:
      'Maximum length of a frame; a message of several frames may be four times as long, on Bun one frame',
  }),
  xWsTimeoutSeconds: integerOption({
    name: 'Xws-timeout-seconds',
    group: WS,
    fallback: RPC_DEFAULTS.timeoutMs / 1000,
    min: 1,
    max: 86_400,
    placeholder: '<SECONDS>',
    description: 'Timeout of a request',
  }),
} satisfies OptionTable
