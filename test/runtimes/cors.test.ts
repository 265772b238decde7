import { expect } from 'bun:test'
import { WebSocket as Client } from 'ws'
import { withFolder } from '../runtime/folder.ts'
import { isInstalled, type RuntimeName, startNode } from '../runtime/nodeProcess.ts'
import { independent } from '../support/scenario.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const ORIGIN = 'http://a.example'
const WS_ORIGIN = 'http://ws.example'

/** What an answer says of origins. */
const toldTo = async (url: string, headers: Record<string, string>) => {
  const answer = await fetch(url, {
    method: 'POST',
    body: CALL,
    headers: { 'accept-encoding': '', ...headers },
  })
  await answer.text()
  return [answer.headers.get('access-control-allow-origin'), answer.headers.get('vary')]
}

/** Whether a web page of that origin gets a WebSocket; `undefined` for a program that is no browser. */
const opens = (url: string, origin: string | undefined): Promise<boolean> =>
  new Promise(resolve => {
    const socket = new Client(url, { headers: origin === undefined ? {} : { origin } })
    socket.on('open', () => {
      socket.close()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

independent.each(RUNTIMES.filter(isInstalled).map(runtime => [runtime] as const))(
  'given a node on %s that lets one origin read, when it has answered that one, then others are told nothing of it and open no WebSocket',
  runtime =>
    withFolder(async folder => {
      const node = await startNode(
        folder,
        [
          `--rpc-http-cors-origins=${ORIGIN}`,
          '--rpc-ws-enabled',
          '--rpc-ws-port=0',
          `--rpc-ws-cors-origins=${WS_ORIGIN}`,
        ],
        { runtime },
      )
      try {
        const before = await toldTo(node.url, {})
        const allowed = await toldTo(node.url, { origin: ORIGIN })
        expect(allowed[0]).toBe(ORIGIN)
        expect(await toldTo(node.url, { origin: ORIGIN })).toEqual(allowed)
        expect(before[0]).toBeNull()
        expect(await toldTo(node.url, {})).toEqual(before)
        const wsUrl = node.wsUrl as string
        const opened = [undefined, ORIGIN, WS_ORIGIN, 'http://foreign.example', 'null'].map(origin =>
          opens(wsUrl, origin),
        )
        expect(await Promise.all(opened)).toEqual([true, true, true, false, false])
        const login = await fetch(`${wsUrl.replace('ws:', 'http:')}/login`, {
          method: 'POST',
          headers: { origin: 'http://foreign.example' },
        })
        expect(login.status).toBe(403)
      } finally {
        await node.stop()
      }
    }),
)
