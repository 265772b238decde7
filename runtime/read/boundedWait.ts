/** Waits for the work, but no longer than that; the work goes on. */
export const boundedWait = (work: Promise<void>, ms: number): Promise<void> => {
  let timer: ReturnType<typeof setTimeout> | undefined
  const late = new Promise<void>(resolve => {
    timer = setTimeout(resolve, ms)
  })
  return Promise.race([work, late]).finally(() => clearTimeout(timer))
}
