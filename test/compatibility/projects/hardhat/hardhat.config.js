import hardhatIgnitionViem from '@nomicfoundation/hardhat-ignition-viem'
import hardhatNetworkHelpers from '@nomicfoundation/hardhat-network-helpers'
import hardhatNodeTestRunner from '@nomicfoundation/hardhat-node-test-runner'
import hardhatViem from '@nomicfoundation/hardhat-viem'
import { defineConfig } from 'hardhat/config'

export default defineConfig({
  plugins: [hardhatViem, hardhatIgnitionViem, hardhatNetworkHelpers, hardhatNodeTestRunner],
  solidity: { version: '0.8.37', path: process.env.SOLC },
  networks: {
    quorate: { type: 'http', chainType: 'l1', url: process.env.NODE_URL, accounts: 'remote' },
  },
})
