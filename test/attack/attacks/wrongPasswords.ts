import { connect } from 'node:net'
import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { hashSync } from 'bcryptjs'
import { startNode } from '../../runtime/nodeProcess.ts'
import type { Attack } from '../attack.ts'
import { endpointOf } from '../sockets.ts'

/** Besu's cost of a hash. */
const COST = 10
const SECONDS = 20
/** At once from each address, again and again: wrong passwords of a user of the file, and of names that are not in it. */
const AT_ONCE = 60
const ATTACKERS = Array.from({ length: 8 }, (_, index) => `127.0.0.${index + 2}`)
/** One user is behind the address of an attacker and has logged in there before, the others come from elsewhere for the first time. */
const NEIGHBOUR = '127.0.0.2'
const NEWCOMERS = 12
const LOGIN_EVERY_MS = 1_500
/** A login waits for one check of each attacker, on a thread of low priority beside four validators: what counts is that it is served. */
const LOGIN_MS_MAX = 120_000
/** An attacker gives up earlier. */
const ATTACKER_MS_MAX = 10_000

type Login = {
  readonly username: string
  readonly password: string
  readonly from: string
  readonly msMax: number
}

/** The status of a login from that address of this machine, or why there is none. */
const login = (url: string, { username, password, from, msMax }: Login): Promise<string> =>
  new Promise(resolve => {
    const body = JSON.stringify({ username, password })
    const socket = connect({ ...endpointOf(url), localAddress: from })
    let status = 'closed'
    socket.setTimeout(msMax, () => {
      status = `no answer for ${msMax / 1000} s`
      socket.destroy()
    })
    socket.on('error', error => {
      status = error.message
    })
    socket.once('data', data => {
      status = data.toString('latin1').slice(9, 12)
      socket.destroy()
    })
    socket.once('close', () => resolve(status))
    socket.write(
      `POST /login HTTP/1.1\r\nHost: localhost\r\nConnection: close\r\nContent-Length: ${body.length}\r\n\r\n${body}`,
    )
  })

const count = (counts: Map<string, number>, key: string): void => {
  counts.set(key, (counts.get(key) ?? 0) + 1)
}

export const wrongPasswords: Attack = {
  name: 'wrong-passwords',
  what: `Sends ${AT_ONCE} wrong passwords at once from each of ${ATTACKERS.length} addresses to a node with logins, over and over.`,
  run: async ({ folder, say }) => {
    const file = join(folder, 'users.toml')
    writeFileSync(file, `[Users.alice]\npassword = "${hashSync('secret', COST)}"\npermissions = ["eth:*"]\n`)
    const node = await startNode(join(folder, 'secured'), [
      '--rpc-http-authentication-enabled',
      `--rpc-http-authentication-credentials-file=${file}`,
    ])
    const statuses = new Map<string, number>()
    const faults: string[] = []
    const untilMs = performance.now() + SECONDS * 1000
    let longestMs = 0
    const logIn = async (from: string): Promise<void> => {
      const beganMs = performance.now()
      const status = await login(node.url, {
        username: 'alice',
        password: 'secret',
        from,
        msMax: LOGIN_MS_MAX,
      })
      longestMs = Math.max(longestMs, performance.now() - beganMs)
      if (status !== '200') faults.push(`a right password from ${from} was answered with: ${status}`)
    }
    const attack = async (from: string): Promise<void> => {
      while (performance.now() < untilMs) {
        const burst = Array.from({ length: AT_ONCE }, async (_, index) => {
          // Whoever tries a user's name at the user's own address cannot be told from the user.
          const username = index % 2 === 0 && from !== NEIGHBOUR ? 'alice' : `nobody-${index}`
          count(
            statuses,
            await login(node.url, { username, password: 'wrong', from, msMax: ATTACKER_MS_MAX }),
          )
        })
        await Promise.all(burst)
      }
    }
    try {
      await logIn(NEIGHBOUR)
      const attacks = Promise.all(ATTACKERS.map(attack))
      const neighbour = async (): Promise<void> => {
        while (performance.now() < untilMs) {
          await Bun.sleep(LOGIN_EVERY_MS)
          await logIn(NEIGHBOUR)
        }
      }
      const newcomer = async (_: unknown, index: number): Promise<void> => {
        await Bun.sleep((index + 1) * LOGIN_EVERY_MS)
        await logIn(`127.0.0.${100 + index}`)
      }
      await Promise.all([attacks, neighbour(), ...Array.from({ length: NEWCOMERS }, newcomer)])
      const told = [...statuses].map(([status, times]) => `${times} with ${status}`).join(', ')
      say(`wrong passwords: ${told}; the longest login took ${(longestMs / 1000).toFixed(1)} s`)
      if (statuses.has('200')) faults.push('a wrong password was accepted')
    } finally {
      await node.kill()
    }
    return [...new Set(faults)]
  },
}
