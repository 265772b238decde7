import { expect, test } from 'bun:test'
import { closeAll } from '../../../runtime/node/closeAll.ts'
import { rejection } from '../../support/rejection.ts'
import { turns } from '../../support/turns.ts'

test('given services to close, when some fail, then all close in order, and the first failure is reported', async () => {
  const ended: string[] = []
  const end = (name: string, failure?: Error) => async (): Promise<void> => {
    await turns(1)
    ended.push(name)
    if (failure !== undefined) throw failure
  }
  const first = new Error('the disk is full')
  const error = await rejection(
    closeAll([
      end('server'),
      end('store', first),
      () => ended.push('threads'),
      end('lock', new Error('gone')),
    ]),
  )
  expect(error).toBe(first)
  expect(ended).toEqual(['server', 'store', 'threads', 'lock'])
})
