import { booleanOption, listOption, type OptionTable, pathOption } from '../option.ts'
import { checkApiGroups } from '../values/rpc.ts'

const IPC = 'JSON-RPC over a socket file'

/** JSON-RPC over a socket file, for programs on the same machine. */
export const IPC_OPTIONS = {
  xRpcIpcEnabled: booleanOption({
    name: 'Xrpc-ipc-enabled',
    group: IPC,
    fallback: false,
    description: 'Serve JSON-RPC over a socket file, which only the user of the node may open',
  }),
  xRpcIpcPath: pathOption({
    name: 'Xrpc-ipc-path',
    group: IPC,
    fallback: undefined,
    shownDefault: 'besu.ipc in the data path',
    description: 'The socket file',
  }),
  xRpcIpcApi: listOption({
    name: 'Xrpc-ipc-api',
    aliases: ['Xrpc-ipc-apis'],
    group: IPC,
    fallback: undefined,
    shownDefault: 'ETH,NET,WEB3; on a development chain QBFT,TXPOOL,DEBUG too',
    check: checkApiGroups,
    description: 'Method groups to serve',
  }),
} satisfies OptionTable
