import type { Driver } from 'unstorage'
import memoryDriver from 'unstorage/drivers/memory'
import type { DriverExtensions } from '../../core/store/keyvalue/driverStore.ts'

/** unstorage's memory driver with synchronous reads. */
export const openMemoryDriver = (): Driver & DriverExtensions => {
  const driver = memoryDriver()
  const items = driver.getInstance?.() as Map<string, Uint8Array>
  return { ...driver, getItemRawSync: key => items.get(key) }
}
