/** Resolves after `count` turns of the event loop: what waits for neither I/O nor a timer has happened by then. */
export const turns = async (count: number): Promise<void> => {
  for (let turn = 0; turn < count; turn++) await new Promise(resolve => setImmediate(resolve))
}
