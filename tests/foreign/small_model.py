"""Serves a language model with llama.cpp's server. Arguments: the file of the model, and the port."""

import sys
import threading

import xllamacpp

parameters = xllamacpp.CommonParams()
parameters.model.path, parameters.port = sys.argv[1], int(sys.argv[2])
parameters.hostnames = ["127.0.0.1"]
parameters.n_ctx, parameters.n_parallel = 4096, 1
# Several threads wait for each other in a loop, and are slow where other tests use the cores.
parameters.cpuparams.n_threads = parameters.cpuparams_batch.n_threads = 1
# The most probable word is always taken, so that a test is repeatable.
parameters.sampling.temp = 0.0
parameters.ui = False
server = xllamacpp.Server(parameters)
threading.Event().wait()
