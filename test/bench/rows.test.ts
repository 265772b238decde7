import { expect, test } from 'bun:test'
import { createGroupRows } from './rows.ts'
import { tableText } from './table.ts'

test('given a group of three rows, when one fails, then each is told at once and the failed one says why', async () => {
  const told: string[] = []
  const rows = createGroupRows(text => told.push(text))
  await rows.measure('first', async () => ({ name: 'first', values: { 'tx/s': '1500', gap: '1.05' } }))
  await rows.measure('second', () => Promise.reject(new Error('no block after block 7 for 180 s')))
  await rows.measure('both of the rest', async () => [
    { name: 'third', values: { 'tx/s': '20' } },
    { name: 'fourth', values: { gap: '2.00' } },
  ])
  expect(told).toEqual([
    'first',
    'first: tx/s 1500, gap 1.05',
    'second',
    'second: FAILED: no block after block 7 for 180 s',
    'both of the rest',
    'third: tx/s 20',
    'fourth: gap 2.00',
  ])
  expect(tableText('network', rows.all()).split('\n')).toEqual([
    'network  tx/s   gap',
    'first    1500  1.05',
    'second   FAILED: no block after block 7 for 180 s',
    'third      20',
    'fourth         2.00',
  ])
})
