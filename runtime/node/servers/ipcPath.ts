import { join } from 'node:path'
import type { NodeOptions } from '../../cli/nodeOptions.ts'

const IPC_FILE = 'besu.ipc'

/** The socket file of JSON-RPC. */
export const ipcPathOf = ({ dataPath, xRpcIpcPath }: Pick<NodeOptions, 'dataPath' | 'xRpcIpcPath'>): string =>
  xRpcIpcPath ?? join(dataPath, IPC_FILE)
