/** A storage that cannot be opened as it was asked for. */
export class StorageUnavailable extends Error {
  override readonly name = 'StorageUnavailable'
  readonly code = 'STORAGE_UNAVAILABLE'
}
