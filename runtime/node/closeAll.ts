/**
 * Calls the close functions in order and continues after a failure, so that no data path stays locked and no port open.
 * @throws the first failure, after all were called
 */
export const closeAll = async (closers: readonly (() => unknown)[]): Promise<void> => {
  let failed: { readonly cause: unknown } | undefined
  for (const close of closers) {
    try {
      await close()
    } catch (cause) {
      failed ??= { cause }
    }
  }
  if (failed !== undefined) throw failed.cause
}
