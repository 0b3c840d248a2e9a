/*
 * Copyright The Nightjar Authors.
 * Licensed under the Apache License, Version 2.0; see the LICENSE file at the root of this project.
 */
package dev.nightjar.consensus.jraft;

import com.alipay.sofa.jraft.rpc.RaftRpcFactory;
import com.alipay.sofa.jraft.rpc.RpcClient;
import com.alipay.sofa.jraft.rpc.RpcServer;
import com.alipay.sofa.jraft.util.Endpoint;
import com.alipay.sofa.jraft.util.SPI;
import org.jspecify.annotations.Nullable;

/** Gives the engine a client on our transport. Found by the engine as a service; one for all members of the process. */
@SPI(name = "nightjar", priority = 100)
public final class PeerRpcFactory implements RaftRpcFactory {

    @Override
    public void registerProtobufSerializer(String className, Object... args) {
        // PeerMessages knows them all.
    }

    @Override
    public RpcClient createRpcClient(@Nullable ConfigHelper<RpcClient> helper) {
        PeerRpcClient client = new PeerRpcClient();
        if (helper != null) {
            helper.config(client);
        }
        return client;
    }

    @Override
    public RpcServer createRpcServer(Endpoint endpoint, @Nullable ConfigHelper<RpcServer> helper) {
        throw new UnsupportedOperationException("requests come in through the transport");
    }
}
