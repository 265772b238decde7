const mix = (hash: number, value: number): number => {
  const mixed = Math.imul(hash ^ value, 0x9e3779b1)
  return mixed ^ (mixed >>> 15)
}

/**
 * 128 bits of a text, as eight characters. Keys of states have hundreds of characters; of ten million states, two share
 * these bits with a probability below 10^-24.
 */
export const fingerprint = (text: string): string => {
  let [a, b, c, d] = [0x243f6a88, 0x85a308d3, 0x13198a2e, 0x03707344]
  for (let i = 0; i < text.length; i++) {
    const code = text.charCodeAt(i)
    a = Math.imul(a ^ code, 0x85ebca6b)
    a ^= a >>> 13
    b = Math.imul(b ^ code, 0xc2b2ae35)
    b ^= b >>> 16
    c = Math.imul(c + code, 0x27d4eb2f)
    c ^= c >>> 15
    d = Math.imul(d ^ (code + i), 0x165667b1)
    d ^= d >>> 14
  }
  const words = [mix(a, d), mix(b, a), mix(c, b), mix(d, c)]
  return String.fromCharCode(...words.flatMap(word => [word & 0xffff, (word >>> 16) & 0xffff]))
}
