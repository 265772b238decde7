/** Commands of Besu that this node does not have, and why. */
export const REFUSED_COMMANDS: ReadonlyMap<string, string> = new Map([
  [
    'storage',
    "it works on Besu's database, which this node does not read. 'quorate migrate' takes a chain over from Besu",
  ],
])
