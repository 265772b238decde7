import { expect } from 'bun:test'
import { withFolder } from '../runtime/folder.ts'
import { isInstalled, type RuntimeName, startNode } from '../runtime/nodeProcess.ts'
import { independent } from '../support/scenario.ts'

const RUNTIMES: readonly RuntimeName[] = ['bun', 'node', 'deno']

const CALL = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
const ORIGIN = 'http://a.example'

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

independent.each(RUNTIMES.filter(isInstalled).map(runtime => [runtime] as const))(
  'given a node on %s that lets one origin read, when it has answered that one, then others are told nothing of it',
  runtime =>
    withFolder(async folder => {
      const node = await startNode(folder, [`--rpc-http-cors-origins=${ORIGIN}`], { runtime })
      try {
        const before = await toldTo(node.url, {})
        const allowed = await toldTo(node.url, { origin: ORIGIN })
        expect(allowed[0]).toBe(ORIGIN)
        expect(await toldTo(node.url, { origin: ORIGIN })).toEqual(allowed)
        expect(before[0]).toBeNull()
        expect(await toldTo(node.url, {})).toEqual(before)
      } finally {
        await node.stop()
      }
    }),
)
