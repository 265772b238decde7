import { lstatSync, rmSync } from 'node:fs'
import { platform } from 'node:process'
import { connect, createServer, type Server, type Socket } from 'node:net'
import { createIpcApp, type IpcApp } from '../../../handlers/ipc/session.ts'
import type { RpcContext } from '../../../handlers/rpc/context.ts'
import { CommandError } from '../../cli/errors.ts'
import type { NodeOptions } from '../../cli/nodeOptions.ts'
import { writeFailureReason } from '../../files/reason.ts'
import { withPrivateFiles } from '../../files/umask.ts'
import { logOf } from '../../logging/log.ts'
import { ipcPathOf } from './ipcPath.ts'
import type { ServerAccess } from './listener.ts'
import { apisOf, warnOfEmptyGroups } from './rpcServer.ts'

/** Bytes of a path in a socket address without the zero at its end: 108 on Linux, 104 on macOS and BSD. */
const PATH_BYTES_MAX = platform === 'linux' ? 107 : 103

/** True where another process listens at the path. */
const isServed = (path: string): Promise<boolean> =>
  new Promise(resolve => {
    const socket = connect(path)
    socket.once('connect', () => {
      socket.destroy()
      resolve(true)
    })
    socket.once('error', () => resolve(false))
  })

const listen = (server: Server, path: string): Promise<void> =>
  new Promise((resolve, reject) => {
    server.once('error', reject)
    server.listen(path, () => {
      server.off('error', reject)
      resolve()
    })
  })

async function* chunksOf(socket: Socket): AsyncGenerator<string> {
  const decoder = new TextDecoder()
  try {
    for await (const chunk of socket) yield decoder.decode(chunk as Uint8Array, { stream: true })
  } catch (cause) {
    // The program has closed its end.
    logOf('rpc').debug('A connection over IPC ended: {reason}', { reason: String(cause) })
  }
}

const send = (socket: Socket, text: string): Promise<void> =>
  new Promise(resolve => {
    // After the end of the connection the callback comes with an error, and reading ends, too.
    if (socket.destroyed) resolve()
    else socket.write(text, () => resolve())
  })

const serve = async (app: IpcApp, socket: Socket): Promise<void> => {
  try {
    await app.serve({
      chunks: chunksOf(socket),
      isGone: () => socket.destroyed,
      send: text => send(socket, text),
      close: () => void socket.destroy(),
    })
  } catch (error) {
    logOf('rpc').error('A connection over IPC failed: {error}', { error })
  } finally {
    socket.end()
  }
}

/**
 * Serves JSON-RPC on a socket file, which only the user of the node may open. Returns the function that closes it.
 * @throws CommandError when another process listens there, or the file cannot be created
 */
export const serveIpc = async (
  options: NodeOptions,
  access: ServerAccess,
  shared: RpcContext,
  development: boolean,
): Promise<() => Promise<void>> => {
  const path = ipcPathOf(options)
  const bytes = Buffer.byteLength(path)
  if (bytes > PATH_BYTES_MAX && platform !== 'win32')
    throw new CommandError(
      'START_FAILED',
      `Cannot serve ${path}: the path of a socket has at most ${PATH_BYTES_MAX} bytes on this system, and this one has ${bytes}; give a shorter --Xrpc-ipc-path`,
    )
  if (await isServed(path))
    throw new CommandError('PORT_IN_USE', `Another process serves ${path}: give another --Xrpc-ipc-path`)
  const context: RpcContext = {
    ...shared,
    options: {
      ...shared.options,
      apis: apisOf(options.xRpcIpcApi, development),
      apisOption: '--Xrpc-ipc-api',
    },
  }
  warnOfEmptyGroups(context)
  const app = createIpcApp(context, {
    messageLengthMax: options.rpcHttpMaxRequestContentLength,
    inbound: access.inbound,
  })
  const found = lstatSync(path, { throwIfNoEntry: false })
  // Any other file is somebody's, such as a key.
  if (found !== undefined && !found.isSocket())
    throw new CommandError(
      'START_FAILED',
      `Cannot serve ${path}: it exists and is no socket; give another path`,
    )
  const sockets = new Set<Socket>()
  const server = createServer(socket => {
    sockets.add(socket)
    socket.on('error', () => undefined)
    socket.once('close', () => sockets.delete(socket))
    void serve(app, socket)
  })
  try {
    // A killed process leaves its socket.
    rmSync(path, { force: true })
    // A mode that is set later would let other users connect before.
    await withPrivateFiles(() => listen(server, path))
  } catch (cause) {
    throw new CommandError('START_FAILED', `Cannot serve ${path}: ${writeFailureReason(cause)}`, { cause })
  }
  return async () => {
    const closed = new Promise(resolve => server.close(resolve))
    for (const socket of sockets) socket.destroy()
    await closed
    rmSync(path, { force: true })
  }
}
