import { describe, expect, test } from 'bun:test'
import { chmodSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { formatEnode } from '../../../p2p/transport/enode.ts'
import { checkDisk, checkEnode, checkKey } from '../../../runtime/doctor/checks.ts'
import { checksOf, readStatus, type Status } from '../../../runtime/doctor/statusChecks.ts'
import { nodeKeyOf } from '../../../runtime/keys/nodeKey.ts'
import { withFolder } from '../folder.ts'
import { testKey } from '../genesis.ts'

const validator = (index: number, more: Partial<Status['validators'][number]> = {}) => ({
  address: `0x${String(index).repeat(40)}`,
  self: index === 1,
  connected: true,
  heard: true,
  client: 'quorate/v1.0.0/linux-x64/bun-1.4.5',
  clockOffsetMs: 0,
  ...more,
})

const WELL: Status = {
  status: 'well',
  explanation: null,
  blockNumber: '0xc',
  round: 0,
  isValidator: true,
  quorum: 3,
  heard: 4,
  client: 'quorate/v1.0.0/linux-x64/bun-1.4.5',
  validators: [1, 2, 3, 4].map(index => validator(index)),
}

const outcome = (status: Status, wanted: string): readonly unknown[] => {
  const found = checksOf(status).find(({ name }) => name === wanted)
  return [found?.passed, found?.needsCare === true, found?.text]
}

test('given a validator that limits its blocks after undecided rounds, when it is checked, then that needs care', () => {
  expect(outcome({ ...WELL, proposalGasMax: '0x200b20' }, 'gas')).toEqual([
    true,
    true,
    expect.stringContaining('limits its blocks to 2100000 gas'),
  ])
  expect(outcome({ ...WELL, proposalGasMax: null }, 'gas')).toEqual([undefined, false, undefined])
})

describe('given the machine of a node', () => {
  test('when others may read its key, then the command that mends it is named', () =>
    withFolder(folder => {
      const path = join(folder, 'key')
      expect(checkKey(folder)).toMatchObject({ passed: true, text: expect.stringContaining('no key file') })
      writeFileSync(path, '0x')
      chmodSync(path, 0o644)
      expect(checkKey(folder)).toMatchObject({
        passed: false,
        text: expect.stringContaining(`chmod 600 ${path}`),
      })
      chmodSync(path, 0o600)
      expect(checkKey(folder).passed).toBe(true)
      expect(checkDisk(folder).text).toMatch(/^(?:Only )?\d+\.\d GiB of \d+\.\d GiB are free at /)
    }))

  test('when its enode is reached, then it is well; when nothing listens there, then the options are named', async () => {
    const server = createServer()
    const port = await new Promise<number>(resolve =>
      server.listen(0, '127.0.0.1', () => resolve((server.address() as { port: number }).port)),
    )
    const enode = formatEnode({ publicKey: nodeKeyOf(testKey(1)).publicKey, host: '127.0.0.1', port })
    expect((await checkEnode(enode)).passed).toBe(true)
    await new Promise(resolve => server.close(resolve))
    expect(await checkEnode(enode)).toMatchObject({
      passed: false,
      text: expect.stringContaining('see --p2p-host, --p2p-port and the firewall'),
    })
  })
})

describe('given the status of a node', () => {
  test('when Besu reads a planned transition otherwise, then that needs care; an earlier release says nothing of it', () => {
    const text = 'config.transitions.qbft[block 100000] (blockreward): Besu reads "block" as a time'
    expect(outcome({ ...WELL, warnings: [text] }, 'transitions')).toEqual([true, true, text])
    expect(outcome(WELL, 'transitions')).toEqual([undefined, false, undefined])
  })

  test('when it is read, then what no node of this kind answers is none', () => {
    expect(readStatus(JSON.parse(JSON.stringify(WELL)))).toEqual(WELL)
    for (const foreign of [null, 7, {}, { status: 'well' }, { status: 'well', validators: [7] }])
      expect(readStatus(foreign)).toBeUndefined()
  })

  test('when something differs, then its check says so', () => {
    expect(outcome(WELL, 'blocks')).toEqual([
      true,
      false,
      'blocks are decided, the last one is 12; 4 of 4 validators are heard, 3 are needed',
    ])
    // A transition that differs, and acts later.
    expect(outcome({ ...WELL, explanation: 'Later.' }, 'blocks')).toEqual([true, true, 'Later.'])
    expect(outcome({ ...WELL, status: 'stalled', explanation: 'Now.' }, 'blocks')).toEqual([
      false,
      false,
      'Now.',
    ])
    const silent = {
      ...WELL,
      heard: 3,
      validators: [...WELL.validators.slice(0, 3), validator(4, { heard: false })],
    }
    expect(outcome(silent, 'validators')).toEqual([
      true,
      true,
      expect.stringContaining('the next failure stops the chain'),
    ])
    const apart = [validator(1), validator(2, { clockOffsetMs: -7_000 })]
    expect(outcome({ ...WELL, validators: apart }, 'clock')).toEqual([
      false,
      false,
      '0x2222…2222 is 7.0 s behind: synchronize the clocks (NTP)',
    ])
    const overDevp2p = [validator(1), validator(2, { clockOffsetMs: null })]
    expect(outcome({ ...WELL, validators: overDevp2p }, 'clock')).toEqual([
      true,
      false,
      'the clocks of the other validators are not known: devp2p does not tell them',
    ])
    const versions = [validator(1), validator(2, { client: 'quorate/name/v0.9.0/linux-x64/node-24' })]
    expect(outcome({ ...WELL, validators: versions }, 'versions')).toEqual([
      true,
      false,
      'different versions run: v0.9.0, v1.0.0',
    ])
  })

  test('when another client is among the validators, then each client is named with its version', () => {
    const besu = validator(2, { client: 'besu/v26.8.1/linux-x86_64/openjdk-java-25' })
    expect(outcome({ ...WELL, validators: [validator(1), besu] }, 'versions')).toEqual([
      true,
      false,
      'different clients run: besu v26.8.1, quorate v1.0.0',
    ])
  })
})
