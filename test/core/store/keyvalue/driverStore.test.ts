import { describe, expect, test } from 'bun:test'
import { DriverError, keyValueOfDriver } from '../../../../core/store/keyvalue/driverStore.ts'
import { rejection } from '../../../support/rejection.ts'
import { stringDriver } from '../../../support/stores/stringDriver.ts'

describe('given a key-value store over a driver', () => {
  test('when it stores only strings, then bytes are base64, as in unstorage', async () => {
    const items = new Map<string, string>()
    const kv = keyValueOfDriver(stringDriver(items), 'process')
    const value = Uint8Array.from({ length: 20_000 }, (_, index) => index & 255)
    await kv.set([
      { key: 'a', value },
      { key: 'b', value: new Uint8Array(0) },
    ])
    expect(items.get('a')).toBe(`base64:${Buffer.from(value).toString('base64')}`)
    expect(await kv.get('a')).toEqual(value)
    expect(await kv.get('b')).toEqual(new Uint8Array(0))
    await kv.set([{ key: 'a', value: undefined }])
    expect(await kv.get('a')).toBeUndefined()
    expect(kv.getSync).toBeUndefined()
  })

  test('when it resolves with the error of a failed read, then the store rejects', async () => {
    const driver = { ...stringDriver(new Map()), getItem: () => new Error('EIO: i/o error') as never }
    const error = await rejection(keyValueOfDriver(driver, 'none').get('a'))
    expect(error).toBeInstanceOf(DriverError)
    expect((error as DriverError).message).toContain('EIO: i/o error')
  })

  test('when the value under the key is not bytes, then the store rejects', async () => {
    const kv = keyValueOfDriver(stringDriver(new Map([['a', 'hello']])), 'none')
    expect(await rejection(kv.get('a'))).toBeInstanceOf(DriverError)
  })

  test('when it gives Buffers, then the store gives plain bytes', async () => {
    const driver = {
      ...stringDriver(new Map()),
      getItemRaw: () => Buffer.from([1, 2, 3]),
      setItemRaw: () => {},
    }
    const value = await keyValueOfDriver(driver, 'none').get('a')
    expect(value?.constructor).toBe(Uint8Array)
    expect(value).toEqual(Uint8Array.of(1, 2, 3))
  })

  test('when it is read-only, then it is refused', () => {
    const { setItem: _, ...readOnly } = stringDriver(new Map())
    expect(() => keyValueOfDriver(readOnly, 'none')).toThrow('it is read-only')
  })
})
