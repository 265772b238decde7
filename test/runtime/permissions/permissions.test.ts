import { afterAll, beforeAll, describe, expect, setDefaultTimeout, test } from 'bun:test'
import { chmodSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { toBareHex, toHex } from '../../../core/bytes/hex.ts'
import { publicKeyOf } from '../../../core/crypto/crypto.ts'
import { freePorts } from '../../../runtime/devnet/ports.ts'
import { rejection } from '../../support/rejection.ts'
import { genesisText, testKey } from '../genesis.ts'
import { type NodeProcess, PROCESS_TEST_TIMEOUT_MS, startNode } from '../nodeProcess.ts'
import { clientsOf } from '../transactions.ts'
import { until } from '../../support/until.ts'

setDefaultTimeout(2 * PROCESS_TEST_TIMEOUT_MS)

/** A contract that allows value 0 alone: `return value == 0`; and one that loops. */
const ONLY_WITHOUT_VALUE = '0x6044351560005260206000f3'
const LOOP = '0x5b600056'
const RULES = `0x${'a'.repeat(40)}`
const LOOPING = `0x${'b'.repeat(40)}`

const failure = async (promise: Promise<unknown>): Promise<string> => String(await rejection(promise))

describe('given two nodes with permission lists', () => {
  let folder = ''
  let ports: readonly number[] = []
  let one: NodeProcess
  let other: NodeProcess
  const enodeOf = (index: number): string =>
    `enode://${toBareHex(publicKeyOf(testKey(index)))}@127.0.0.1:${ports[index - 1]}`
  const file = (index: number): string => join(folder, `node${index}`, 'permissions_config.toml')
  const { account } = clientsOf('http://127.0.0.1:1')
  const first = account.address.toLowerCase()
  const TO = `0x${'8'.repeat(40)}` as const

  const start = (index: number, ...args: readonly string[]): Promise<NodeProcess> =>
    startNode(join(folder, `node${index}`), [
      `--genesis-file=${join(folder, 'genesis.json')}`,
      '--rpc-http-enabled',
      '--rpc-http-api=ETH,NET,ADMIN,PERM,TXPOOL,QBFT',
      '--p2p-interface=127.0.0.1',
      `--p2p-port=${ports[index - 1]}`,
      '--min-gas-price=0',
      '--logging-format=PLAIN',
      ...args,
    ])
  const startFirst = (...args: readonly string[]): Promise<NodeProcess> =>
    start(
      1,
      '--permissions-nodes-config-file-enabled',
      '--permissions-accounts-config-file-enabled',
      '--metrics-enabled',
      '--metrics-port=0',
      ...args,
    )
  const metricsOf = async (
    { metricsUrl }: NodeProcess,
    names: readonly string[],
  ): Promise<readonly number[]> => {
    const lines = (await (await fetch(`${metricsUrl}/metrics`)).text()).split('\n')
    return names.map(name => Number(lines.find(line => line.startsWith(`${name} `))?.split(' ')[1]))
  }
  const peers = async (node: NodeProcess): Promise<number> => Number(await node.rpc('net_peerCount'))

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), 'quorate-permissions-'))
    ports = await freePorts(2)
    writeFileSync(
      join(folder, 'genesis.json'),
      genesisText({
        validators: [1],
        qbft: { xblockperiodmilliseconds: 200 },
        config: { zeroBaseFee: true },
        top: {},
      }).replace(
        '"alloc":{',
        `"alloc":{"${RULES}":{"balance":"0x0","code":"${ONLY_WITHOUT_VALUE}"},"${LOOPING}":{"balance":"0x0","code":"${LOOP}"},`,
      ),
    )
    for (const index of [1, 2]) {
      mkdirSync(join(folder, `node${index}`))
      writeFileSync(join(folder, `node${index}`, 'key'), toHex(testKey(index)), { mode: 0o600 })
    }
    writeFileSync(file(1), `accounts-allowlist=[]\nnodes-allowlist=[]\n`)
    one = await startFirst()
    other = await start(2, `--bootnodes=${enodeOf(1)}`)
  })
  afterAll(async () => {
    await Promise.all([one?.kill(), other?.kill()])
    rmSync(folder, { recursive: true, force: true })
  })

  test('when a node is not listed, then it comes in only once it is, and leaves when it is removed', async () => {
    expect(await failure(one.rpc('admin_addPeer', enodeOf(2)))).toContain(
      'Cannot add a non-permitted node as a peer',
    )
    await until(async () => one.output().includes('not in the allowlist'), { what: 'the refusal' })
    expect(await peers(one)).toBe(0)
    expect(await one.rpc<string>('perm_addNodesToAllowlist', [enodeOf(2)])).toBe('Success')
    expect(await one.rpc<boolean>('admin_addPeer', enodeOf(2))).toBe(true)
    await until(async () => (await peers(one)) === 1, { what: 'a peer' })
    expect(await one.rpc<string>('perm_removeNodesFromAllowlist', [enodeOf(2)])).toBe('Success')
    await until(async () => (await peers(one)) === 0, { what: 'its end' })
    await Bun.sleep(3_000)
    expect(await peers(one)).toBe(0)
    const [all, permitted, unpermitted] = await metricsOf(one, [
      'besu_permissioning_node_local_check_count_total',
      'besu_permissioning_node_local_check_count_permitted_total',
      'besu_permissioning_node_local_check_count_unpermitted_total',
    ])
    expect(permitted).toBeGreaterThan(0)
    expect(unpermitted).toBeGreaterThan(0)
    expect(all).toBe(Number(permitted) + Number(unpermitted))
  })

  test('when an account is not listed, then its sender gets an error; once listed, it may send; removed, its transactions leave', async () => {
    const { wallet } = clientsOf(one.url, 4242)
    const send = (nonce: number) =>
      wallet.sendTransaction({ to: TO, value: 0n, nonce, gas: 21_000n, gasPrice: 1n })
    const refused = await failure(send(0))
    expect(refused).toContain('Sender account not authorized to send transactions')
    // Who asks why transactions do not get into a block is told, too.
    const { causes } = await one.rpc<{ causes: readonly { kind: string; explanation: string }[] }>(
      'qbft_getStatus',
    )
    expect(causes.find(({ kind }) => kind === 'pool')?.explanation).toContain(
      'refused in the last minutes 1: Sender account not authorized to send transactions',
    )
    expect(await one.rpc<string>('perm_addAccountsToAllowlist', [first])).toBe('Success')
    // Behind a nonce gap, so that it waits.
    await send(5)
    expect(
      await one.rpc<string>('perm_removeAccountsFromAllowlist', [first.toUpperCase().replace('0X', '0x')]),
    ).toBe('Success')
    const metrics = await (await fetch(`${one.metricsUrl}/metrics`)).text()
    for (const line of [
      'besu_permissioning_account_local_check_count_total 2',
      'besu_permissioning_account_local_check_count_permitted_total 1',
      'besu_permissioning_account_local_check_count_unpermitted_total 1',
    ])
      expect(metrics.split('\n')).toContain(line)
    const status = await one.rpc<{ queued: string }>('txpool_status')
    expect(Number(status.queued)).toBe(0)
  })

  test('when a request is wrong, then it is answered with Besu’s error', async () => {
    const cases: readonly (readonly [string, unknown, string])[] = [
      ['perm_addAccountsToAllowlist', [], 'Request contains an empty list of accounts'],
      ['perm_addAccountsToAllowlist', ['0x12'], 'Request contains an invalid account'],
      ['perm_addAccountsToAllowlist', [first, first], 'Request contains duplicate accounts'],
      ['perm_removeAccountsFromAllowlist', [TO], 'Cannot remove an absent account from allowlist'],
      ['perm_addAccountsToAllowlist', 'text', '-32602 Invalid account params'],
      ['perm_addNodesToAllowlist', ['enode://1'], 'Request contains an invalid node'],
      ['perm_addNodesToAllowlist', {}, '-32602 Invalid node params'],
      ['perm_removeNodesFromAllowlist', [enodeOf(1)], 'Cannot remove an absent node from allowlist'],
    ]
    for (const [method, value, text] of cases) expect(await failure(one.rpc(method, value))).toContain(text)
    await one.rpc('perm_addAccountsToAllowlist', [first])
    expect(await failure(one.rpc('perm_addAccountsToAllowlist', [first]))).toContain(
      'Cannot add an existing account',
    )
    expect(await failure(other.rpc('perm_getAccountsAllowlist'))).toContain(
      'Account allowlist has not been enabled',
    )
  })

  test('when the file cannot be written, then the change is reverted; when it is wrong, then a reload changes nothing', async () => {
    const before = readFileSync(file(1), 'utf8')
    writeFileSync(file(1), 'accounts-allowlist=["0x12"]')
    expect(await failure(one.rpc('perm_reloadPermissionsFromFile'))).toContain(
      'Error reloading permissions file',
    )
    expect(await failure(one.rpc('perm_addAccountsToAllowlist', [TO]))).toContain('Unable to persist changes')
    expect(await one.rpc<string[]>('perm_getAccountsAllowlist')).toEqual([first])
    writeFileSync(file(1), before)
    expect(await one.rpc<string>('perm_reloadPermissionsFromFile')).toBe('Success')
  })

  test('when it is restarted, then the lists are as they were, and a contract may decide instead', async () => {
    expect(await one.stop()).toBe(0)
    chmodSync(file(1), 0o600)
    one = await startFirst(`--permissions-accounts-contract=${RULES}`)
    expect(await one.rpc<string[]>('perm_getAccountsAllowlist')).toEqual([first])
    const { wallet } = clientsOf(one.url, 4242)
    const send = (value: bigint) =>
      wallet.sendTransaction({ to: TO, value, nonce: 0, gas: 21_000n, gasPrice: 1n })
    expect(await failure(send(1n))).toContain('Sender account not authorized')
    expect(await send(0n)).toMatch(/^0x/)
    expect(await one.stop()).toBe(0)
    one = await startFirst(`--permissions-accounts-contract=${LOOPING}`)
    expect(
      await failure(
        clientsOf(one.url, 4242).wallet.sendTransaction({
          to: TO,
          value: 0n,
          nonce: 9,
          gas: 21_000n,
          gasPrice: 1n,
        }),
      ),
    ).toContain('Sender account not authorized')
  })

  test('when a bootnode is not listed, or the file is not there, then the node does not start and says why', async () => {
    await one.stop()
    expect(await failure(startFirst(`--bootnodes=${enodeOf(2)}`))).toContain(
      'Specified node(s) not in nodes-allowlist',
    )
    expect(await failure(startFirst('--permissions-nodes-config-file=/none/such.toml'))).toContain(
      'there is no such file',
    )
  })
})
