/** Time between two looks. */
const POLL_MS = 10

/** Resolves when it holds. One that never does ends with the time limit of its test. */
export const until = async (holds: () => boolean | Promise<boolean>): Promise<void> => {
  // Also runs in processes of Node and Deno.
  while (!(await holds())) await new Promise(resolve => setTimeout(resolve, POLL_MS))
}
