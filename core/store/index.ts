/** `quorate/store`: stores a chain over any unstorage driver, and reads it. */
export { type ChainStoreOptions, openChainStore } from './chainStore.ts'
export { DriverError, type DriverExtensions, keyValueOfDriver } from './keyvalue/driverStore.ts'
export type { KeyValueEntry, KeyValueStore } from './keyvalue/keyvalue.ts'
export { UnknownBlock } from './reading/stateReader.ts'
export type {
  BlockCommit,
  BlockRecord,
  ChainHead,
  ChainStore,
  Durable,
  TransactionLocation,
} from './store.ts'
export { StoreFailed, type StoreRemedy } from './storeFailed.ts'
