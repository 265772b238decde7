import { describe, expect, test } from 'bun:test'
import { createReadBody } from '../../../handlers/inbound/body.ts'
import { createBodyUnits, SHORT_CHUNK_BYTES } from '../../../handlers/inbound/bodyUnits.ts'
import {
  createConnectionUnits,
  createUnitBudget,
  type UnitKind,
} from '../../../handlers/inbound/unitBudget.ts'
import { until } from '../../support/until.ts'

const KIND: UnitKind = 'chunks of request bodies'
const MEGABYTE = 1024 * 1024

/** A budget whose clock the test moves. */
const createClock = () => {
  const clock = { nowMs: 0 }
  const refused: UnitKind[] = []
  const budget = createUnitBudget({ nowMs: () => clock.nowMs, onRefused: kind => refused.push(kind) })
  return { clock, refused, budget }
}

const takeAll = (take: () => boolean): number => {
  let taken = 0
  while (take()) taken++
  return taken
}

/** A request whose body comes in chunks of that length, without an end. */
const chunkedRequest = (chunkBytes: number, chunks: number): Request => {
  let sent = 0
  const chunk = new Uint8Array(chunkBytes).fill(0x20)
  const body = new ReadableStream<Uint8Array>({
    pull: controller => {
      if (sent++ < chunks) controller.enqueue(chunk)
      else controller.close()
    },
  })
  return new Request('http://localhost/', { method: 'POST', body, duplex: 'half' } as RequestInit)
}

describe('given the budget of short units', () => {
  test('when more come than it holds, then they are refused and reported until time has passed', () => {
    const { clock, refused, budget } = createClock()
    const burst = takeAll(() => budget.take(KIND))
    expect(burst).toBe(10_000)
    expect(refused).toEqual([KIND])
    clock.nowMs = 100
    expect(takeAll(() => budget.take(KIND))).toBe(2_000)
    clock.nowMs = 1_000_000
    expect(takeAll(() => budget.take(KIND))).toBe(burst)
  })

  test('when it is used up, then each connection still has the units of its own', () => {
    const { clock, budget } = createClock()
    takeAll(() => budget.take(KIND))
    const take = createConnectionUnits('WebSocket frames', budget, () => clock.nowMs)
    expect(takeAll(take)).toBe(64)
  })
})

describe('given a body in chunks', () => {
  test('when its chunks are short, then as many are taken as cost the limit, and each has a price in memory', () => {
    const { budget } = createClock()
    const units = createBodyUnits(MEGABYTE, budget)
    let taken = 0
    while (units.take(1) === 'taken') taken++
    expect(taken).toBe(MEGABYTE / SHORT_CHUNK_BYTES)
    expect(units.take(1)).toBe('too-many')
    expect(units.price()).toBeGreaterThan(MEGABYTE)
  })

  test('when the budget is used up, then a few short chunks and any number of long ones are taken', () => {
    const { budget } = createClock()
    takeAll(() => budget.take(KIND))
    const units = createBodyUnits(MEGABYTE, budget)
    expect(takeAll(() => units.take(1) === 'taken')).toBe(16)
    for (let i = 0; i < 10_000; i++) expect(units.take(SHORT_CHUNK_BYTES)).toBe('taken')
  })

  test('when the caller has shown who they are, then the budget of the others does not count', () => {
    const { budget } = createClock()
    takeAll(() => budget.take(KIND))
    const units = createBodyUnits(MEGABYTE, budget)
    units.identify()
    expect(takeAll(() => units.take(1) === 'taken')).toBe(MEGABYTE / SHORT_CHUNK_BYTES)
  })
})

describe('given the reader of bodies', () => {
  test('when a body comes byte by byte, then it is refused, with memory claimed for its chunks', async () => {
    let claimed = 0
    const claim = (bytes: number): boolean => {
      claimed += bytes
      return true
    }
    const readBody = createReadBody({ bytesMax: MEGABYTE })
    expect(await readBody(chunkedRequest(1, MEGABYTE), claim, true)).toMatchObject({
      reason: 'too-many-chunks',
      status: 413,
    })
    expect(claimed).toBeGreaterThanOrEqual(MEGABYTE)
  })

  test('when an ordinary body has some short chunks, then it is read whole', async () => {
    const readBody = createReadBody({ bytesMax: MEGABYTE })
    expect(await readBody(chunkedRequest(10, 200), () => true)).toBe(' '.repeat(2_000))
  })

  test('when a body is refused, then its stream is not read on', async () => {
    let pulled = 0
    let isCancelled = false
    const body = new ReadableStream<Uint8Array>({
      pull: controller => {
        pulled++
        controller.enqueue(new Uint8Array(1))
      },
      cancel: () => {
        isCancelled = true
      },
    })
    const init = { method: 'POST', body, duplex: 'half' } as RequestInit
    const readBody = createReadBody({ bytesMax: MEGABYTE })
    await readBody(new Request('http://localhost/', init), () => true, true)
    const afterRefusal = pulled
    await until(() => isCancelled)
    expect(pulled).toBeLessThanOrEqual(afterRefusal + 2)
  })
})
