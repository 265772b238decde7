import { afterEach, beforeEach, describe, expect, test } from 'bun:test'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { toHex } from '../../../../core/bytes/hex.ts'
import type { Evidence } from '../../../../core/qbft/effect.ts'
import { createEvidenceStore } from '../../../../runtime/consensus/record/evidenceStore.ts'
import { openStandingVotes } from '../../../../runtime/consensus/standingVotes.ts'
import {
  evidenceKey,
  openValidatorFiles,
  VOTES_KEY,
} from '../../../../runtime/consensus/record/validatorFiles.ts'
import { openStorage } from '../../../../runtime/drivers/open.ts'
import { configureLog, logOf } from '../../../../runtime/logging/log.ts'
import { testAddress } from '../../genesis.ts'

const log = logOf('validator')

let folder: string
let lines: string[]

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'quorate-votes-'))
  lines = []
  configureLog({ level: 'INFO', format: 'PLAIN', colour: false, write: line => lines.push(line) })
})

afterEach(() => rmSync(folder, { recursive: true, force: true }))

const ownerOf = (key: number) => ({ address: testAddress(key), genesisHash: new Uint8Array(32).fill(0xab) })

/** The files as a start finds them. */
const openFiles = async (key = 1) => {
  const storage = await openStorage('sqlite', folder)
  try {
    return await openValidatorFiles(folder, ownerOf(key), storage, log)
  } finally {
    await storage.close()
  }
}

const openVotes = async (key = 1) => openStandingVotes(await openFiles(key), log)

const ADD_2 = { recipient: testAddress(2), type: 'add' } as const
const DROP_1 = { recipient: testAddress(1), type: 'drop' } as const

const EVIDENCE: Evidence = {
  author: testAddress(3),
  sequence: 7n,
  round: 0,
  first: { code: 0x13, data: Uint8Array.of(1) },
  second: { code: 0x13, data: Uint8Array.of(2) },
}

describe('the votes that an operator proposed', () => {
  test('given some were proposed, then they stand after a restart, until they are discarded', async () => {
    const votes = await openVotes()
    await votes.propose({ recipient: testAddress(1), type: 'add' })
    await votes.propose(ADD_2)
    await votes.propose(DROP_1)
    expect((await openVotes()).list()).toEqual([ADD_2, DROP_1])
    await votes.discard(testAddress(2))
    await votes.discard(testAddress(9))
    expect((await openVotes()).list()).toEqual([DROP_1])
  })

  test('given the chain is deleted, with its views, then they stand', async () => {
    await (await openVotes()).propose(ADD_2)
    rmSync(join(folder, 'chain'), { recursive: true })
    expect((await openVotes()).list()).toEqual([ADD_2])
  })

  test('given an earlier release kept them with the views, then they are taken over once', async () => {
    const storage = await openStorage('sqlite', folder)
    const json = JSON.stringify({ [toHex(testAddress(2))]: true })
    await storage.setDurably({ key: VOTES_KEY, value: new TextEncoder().encode(json) })
    await storage.close()
    expect((await openVotes()).list()).toEqual([ADD_2])
    await (await openVotes()).discard(testAddress(2))
    expect((await openVotes()).list()).toEqual([])
    expect(lines.filter(line => line.includes('Moved'))).toHaveLength(1)
  })

  test('given a storage that ends with the process, then they end with it, too', async () => {
    const storage = await openStorage('memory', folder)
    const files = await openValidatorFiles(folder, ownerOf(1), storage, log)
    await (await openStandingVotes(files, log)).propose(ADD_2)
    expect((await openStandingVotes(files, log)).list()).toEqual([ADD_2])
    expect(existsSync(join(folder, 'validator'))).toBe(false)
  })

  test('when a script proposes without end, then the refusal says to discard some', async () => {
    const files = await openValidatorFiles('', ownerOf(1), await openStorage('memory', ''), log)
    const votes = await openStandingVotes(files, log)
    for (let index = 1; index <= 1_000; index++) {
      const recipient = new Uint8Array(20)
      new DataView(recipient.buffer).setUint32(0, index)
      await votes.propose({ recipient, type: 'add' })
    }
    expect(votes.propose(DROP_1)).rejects.toMatchObject({ code: 'TOO_MANY_VOTES' })
  })
})

describe('given votes that cannot be read', () => {
  const expectNone = async (detail: string, key = 1): Promise<void> => {
    lines.length = 0
    const votes = await openVotes(key)
    expect(votes.list()).toEqual([])
    expect(lines.join()).toContain(detail)
    expect(lines.join()).toContain('propose them again')
    await votes.propose(ADD_2)
    expect((await openVotes(key)).list()).toEqual([ADD_2])
  }

  test('when they are cut at any length, or changed at any byte, then the validator votes for nobody and says so', async () => {
    const path = (await openFiles()).where(VOTES_KEY)
    await (await openVotes()).propose(DROP_1)
    const whole = readFileSync(path)
    // The last byte is the end of the line.
    for (let at = 0; at < whole.length - 1; at += 7) {
      writeFileSync(path, whole.subarray(0, at))
      await expectNone('is damaged')
      const changed = Uint8Array.from(whole)
      changed[at] = (changed[at] as number) ^ 1
      writeFileSync(path, changed)
      const votes = await openVotes()
      expect(votes.list()).toEqual([])
    }
  })

  test('when they are of another validator, then they are not cast', async () => {
    await (await openVotes(1)).propose(DROP_1)
    const to = (await openFiles(2)).where(VOTES_KEY)
    mkdirSync(dirname(to), { recursive: true })
    copyFileSync((await openFiles(1)).where(VOTES_KEY), to)
    await expectNone(`belongs to the validator ${toHex(testAddress(1))}`, 2)
  })
})

describe('evidence against a validator', () => {
  test('given the chain is deleted, with its views, then it stands, and what comes next is kept beside it', async () => {
    await createEvidenceStore(await openFiles(), log).keep(EVIDENCE)
    rmSync(join(folder, 'chain'), { recursive: true })
    await createEvidenceStore(await openFiles(), log).keep({ ...EVIDENCE, round: 1 })
    const files = await openFiles()
    const rounds = await Promise.all(
      [0, 1].map(async index => JSON.parse((await files.get(evidenceKey(index))) ?? '{}').round),
    )
    expect(rounds).toEqual([0, 1])
    expect(lines.join()).toContain(`Both are kept in ${files.where(evidenceKey(1))}.`)
  })

  test('given a piece is damaged, then it is not written over', async () => {
    const files = await openFiles()
    await createEvidenceStore(files, log).keep(EVIDENCE)
    writeFileSync(files.where(evidenceKey(0)), '{')
    await createEvidenceStore(files, log).keep({ ...EVIDENCE, round: 1 })
    expect(readFileSync(files.where(evidenceKey(0)), 'utf8')).toBe('{')
    expect(await files.has(evidenceKey(1))).toBe(true)
  })

  test('given an earlier release kept it with the views, then it is taken over', async () => {
    const storage = await openStorage('sqlite', folder)
    for (const index of [0, 1])
      await storage.setDurably({ key: evidenceKey(index), value: new TextEncoder().encode('{"round":4}') })
    await storage.close()
    const files = await openFiles()
    expect(await files.get(evidenceKey(1))).toBe('{"round":4}')
    expect(await files.has(evidenceKey(2))).toBe(false)
  })
})
