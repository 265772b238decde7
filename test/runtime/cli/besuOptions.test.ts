import { describe, expect, test } from 'bun:test'
import { readArguments } from '../../../runtime/cli/sources/arguments.ts'
import { NODE_OPTIONS } from '../../../runtime/cli/nodeOptions.ts'
import { resolveAll } from '../../../runtime/cli/sources/resolve.ts'
import { ACCEPTED, KEPT, listOf, REFUSED } from './besuOptionList.ts'

const resolve = (args: readonly string[]) => resolveAll(NODE_OPTIONS, readArguments(args, NODE_OPTIONS), {})
const problems = (args: readonly string[]): readonly string[] =>
  resolve(args).problems.map(({ message }) => message)

describe('given each option of Besu', () => {
  const all = [...listOf(KEPT), ...listOf(ACCEPTED), ...listOf(REFUSED)]

  test('when it has Besu’s default, then that is no error', () => {
    const refused = all.flatMap(({ name, besuDefault }) =>
      besuDefault === undefined ? [] : problems([`--${name}=${besuDefault}`]),
    )
    expect(refused).toEqual([])
  })

  test('when the node has it, then it is its own or an alias', () => {
    const names = Object.values(NODE_OPTIONS).flatMap(({ name, aliases }) => [name, ...aliases])
    expect(
      listOf(KEPT)
        .map(({ name }) => name)
        .filter(name => !names.includes(name)),
    ).toEqual([])
  })

  test('when it tunes what the node does by its own rules, then any value is accepted and its meaning told', () => {
    const untold = listOf(ACCEPTED).filter(({ name }) => {
      const { accepted, problems: found } = resolve([`--${name}=7`])
      return found.length > 0 || accepted.length !== 1 || (accepted[0]?.meaning ?? '') === ''
    })
    expect(untold).toEqual([])
  })

  test('when it asks for what the node does not have, then it is refused with the reason', () => {
    for (const { name } of listOf(REFUSED)) {
      const [text, ...others] = problems([`--${name}=something-else`])
      expect(others).toEqual([])
      expect(text).toStartWith(`Option '--${name}' is refused: `)
      expect(text).not.toContain('later release')
    }
  })
})

describe('given several mistakes in one command line', () => {
  test('then all are reported together', () => {
    expect(
      problems(['--ethstats=a:b@c', '--rpc-htp-port=1', '--rpc-ws-port=x', '--nat-method=UPNP']),
    ).toEqual([
      "Option '--ethstats' is refused: this node reports to no ethstats server: use --metrics-enabled with Prometheus and Grafana. Remove it.",
      "Unknown option: '--rpc-htp-port'. Did you mean --rpc-http-port?",
      "Option '--nat-method' is refused: this node does not configure port forwarding: forward --p2p-port on the router, and give its external address with --p2p-host. Remove it, or give --nat-method=auto or --nat-method=docker or --nat-method=kubernetes or --nat-method=none.",
      "Invalid value for option '--rpc-ws-port': 'x' is not a whole number from 0 to 65535",
    ])
  })

  test('when an option belongs to a plugin of Besu, then it is refused as such', () => {
    expect(problems(['--plugin-linea-max-block-gas=1'])).toEqual([
      "Option '--plugin-linea-max-block-gas' is refused: it belongs to a plugin of Besu, and this node loads no plugins. Remove it.",
    ])
  })
})

describe('given --profile', () => {
  test('when it is ENTERPRISE, then its values are weaker than any other source', () => {
    expect(resolve(['--profile=enterprise']).values).toMatchObject({
      minGasPrice: 0n,
      txPoolNoLocalPriority: true,
      txPoolLimitByAccountPercentage: 0.15,
      remoteConnectionsLimitEnabled: false,
    })
    const { values, sources } = resolve(['--profile=PRIVATE', '--min-gas-price=7'])
    expect(values.minGasPrice).toBe(7n)
    expect(sources.get('tx-pool-no-local-priority')).toBe('--profile=PRIVATE')
  })

  test('when it is one of proof of stake, then it is refused', () => {
    expect(problems(['--profile=STAKER'])[0]).toContain('belong to proof of stake')
  })
})
