/**
 * Ends one after the other, whatever becomes of those before: what fails must not leave the data path locked, or a port open.
 * @throws the first failure, once all have had their turn
 */
export const endAll = async (ends: readonly (() => unknown)[]): Promise<void> => {
  let failed: { readonly cause: unknown } | undefined
  for (const end of ends) {
    try {
      await end()
    } catch (cause) {
      failed ??= { cause }
    }
  }
  if (failed !== undefined) throw failed.cause
}
