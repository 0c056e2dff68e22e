"""stub replaced below"""
