import { WebSocket as Client } from 'ws'
import type { Attack } from '../attack.ts'

const UPGRADES = 500
const AT_ONCE = 20
const ORIGINS = ['http://foreign.example', 'https://localhost.foreign.example', 'null', 'file://'] as const

/** Whether a page of that origin gets a WebSocket; `undefined` for a program that is no browser. */
const opens = (url: string, origin?: string): Promise<boolean> =>
  new Promise(resolve => {
    const socket = new Client(url, { headers: origin === undefined ? {} : { origin } })
    socket.on('open', () => {
      socket.terminate()
      resolve(true)
    })
    socket.on('error', () => resolve(false))
  })

export const foreignOrigins: Attack = {
  name: 'foreign-origins',
  what: `Asks for ${UPGRADES} WebSockets as pages of other sites do that a browser of the operator has open.`,
  network: { args: ['--logging-format=PLAIN', '--rpc-ws-enabled', '--rpc-ws-port=0'] },
  run: async ({ cluster, say }) => {
    const { wsUrl } = cluster.node(1)
    if (wsUrl === undefined) return ['the node serves no WebSocket']
    let opened = 0
    for (let first = 0; first < UPGRADES; first += AT_ONCE) {
      const upgrades = Array.from({ length: AT_ONCE }, (_, index) =>
        opens(wsUrl, ORIGINS[(first + index) % ORIGINS.length]),
      )
      opened += (await Promise.all(upgrades)).filter(Boolean).length
    }
    const isServed = await opens(wsUrl)
    say(`${opened} of ${UPGRADES} were opened; one of a program ${isServed ? 'was' : 'was not'}`)
    if (!isServed) return ['a program that is no browser got no WebSocket']
    return opened === 0 ? [] : [`${opened} WebSockets of foreign pages were opened`]
  },
}
