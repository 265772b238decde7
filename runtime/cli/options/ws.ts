import { booleanOption, integerOption, listOption, textOption, type OptionTable } from '../option.ts'
import { checkApiGroups, checkCorsOrigins } from '../rpcValues.ts'

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
    fallback: undefined,
    shownDefault: 'that of --p2p-host',
    placeholder: '<HOST>',
    description: 'Address to listen on',
  }),
  rpcWsPort: integerOption({
    name: 'rpc-ws-port',
    group: WS,
    fallback: 8546,
    min: 0,
    max: 65_535,
    placeholder: '<PORT>',
    description: 'Port to listen on; 0 takes a free one and prints it',
  }),
  rpcWsApi: listOption({
    name: 'rpc-ws-api',
    aliases: ['rpc-ws-apis'],
    group: WS,
    fallback: undefined,
    shownDefault: 'ETH,NET,WEB3; on a development chain QBFT,TXPOOL,DEBUG too',
    check: checkApiGroups,
    description: 'Groups of methods to serve; eth_subscribe and eth_unsubscribe always are',
  }),
  rpcWsCorsOrigins: listOption({
    name: 'rpc-ws-cors-origins',
    group: WS,
    fallback: [] as readonly string[],
    shownDefault: 'none',
    check: checkCorsOrigins,
    description:
      'Web origins that may open a WebSocket beside those of --rpc-http-cors-origins, regular expressions; * for all',
  }),
  rpcWsMaxActiveConnections: integerOption({
    name: 'rpc-ws-max-active-connections',
    group: WS,
    fallback: 80,
    min: 1,
    max: 1_000_000,
    description: 'Most connections at the same time',
  }),
  rpcWsMaxFrameSize: integerOption({
    name: 'rpc-ws-max-frame-size',
    group: WS,
    fallback: 1024 * 1024,
    min: 1,
    max: 64 * 1024 * 1024,
    placeholder: '<BYTES>',
    description:
      'Longest frame; a message of several may have four times as much, on Bun no more than one frame',
  }),
  xWsTimeoutSeconds: integerOption({
    name: 'Xws-timeout-seconds',
    group: WS,
    fallback: 30,
    min: 1,
    max: 86_400,
    placeholder: '<SECONDS>',
    description: 'After so long a request is answered with a timeout',
  }),
} satisfies OptionTable
