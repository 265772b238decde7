#!/usr/bin/env node
// The command line of solc that Hardhat and Foundry use, over the compiler of npm.
const { createRequire } = require('node:module')
const { readFileSync } = require('node:fs')

const solc = createRequire(`${process.env.PROJECT}/package.json`)('solc')

if (process.argv.includes('--version'))
  console.log(`solc, the solidity compiler commandline interface\nVersion: ${solc.version().replace('.Emscripten.clang', '.Linux.g++')}`)
else process.stdout.write(solc.compile(readFileSync(0, 'utf8')))
